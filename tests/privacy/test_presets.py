"""Presets: the k of a context of publication, in an audit and in the config."""

import json

import pandas as pd
import pytest

from anonduck.auditing.audit import audit
from anonduck.cli.app import run
from anonduck.config.reading import make_config
from anonduck.errors import AuditError, ConfigError
from anonduck.privacy.requirement import PRESETS


def test_the_presets_are_the_precedents():
    assert [(one.k, round(one.risk, 2)) for one in PRESETS.values()] == [(3, 0.33), (5, 0.20), (11, 0.09), (20, 0.05)]


@pytest.mark.parametrize("name", PRESETS)
def test_an_audit_requires_the_k_and_counts_records_over_its_risk(shared, name):
    k = PRESETS[name].k
    table = pd.DataFrame({"q": ["x"] * k + ["y"] * (k - 1)})
    report = audit(table, preset=name, database=shared)
    assert [(one.name, one.required, one.met) for one in report.requirements] == [("k", k, False)]
    assert report.measures["prosecutor_risk"].details["at_risk"] == pytest.approx((k - 1) / (2 * k - 1))
    assert audit(table[:k], preset=name, database=shared).met
    assert audit(table, preset=name, requirements={"k": k - 1}, database=shared).met


def test_an_unknown_preset_is_told(shared):
    with pytest.raises(AuditError, match="unknown preset 'secret'; presets are internal, restricted, public"):
        audit(pd.DataFrame({"q": ["x"]}), preset="secret", database=shared)
    with pytest.raises(ConfigError, match=r"requirement\.preset"):
        make_config({"class": "c", "requirement": {"preset": "secret"}})


@pytest.mark.parametrize(
    ("requirement", "k"), [({"preset": "public"}, 11), ({"preset": "public", "k": 7}, 7), ({"suppression": 0.1}, 5)]
)
def test_the_config_takes_the_k_of_a_preset(requirement, k):
    config = make_config({"class": "c", "requirement": requirement})
    assert config.requirement.asked == {"k": k}
    again = make_config(config.model_dump(by_alias=True, exclude_none=True))
    assert again.requirement.k == k


def test_the_command_tells_the_preset_and_promises_nothing(tmp_path, capsys):
    file = tmp_path / "released.csv"
    file.write_text("q\n" + "x\n" * 12, encoding="utf-8")
    assert run(["audit", str(file), "--preset", "public"]) == 0
    printed = capsys.readouterr().out
    assert "k >= 11: met (12)" in printed
    assert "preset public, for data open to anybody: k = 11, risk 0.09" in printed
    assert "support an expert's review" in printed
    assert run(["audit", str(file), "--preset", "public-patients", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["preset"] == "public-patients"
    assert "support an expert's review" in document["closing"]
    assert run(["audit", str(file), "--preset", "public", "--sql"]) == 0
    assert "count(*) < 11" in capsys.readouterr().out
    for word in ("GDPR", "HIPAA", "compliant"):
        assert word not in printed + json.dumps(document)
