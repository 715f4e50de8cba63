"""What an audit says at the margins: the last number that passes and the first that does not, defaults, and marks."""

import json

import numpy as np
import pandas as pd
import pytest

from anonduck import audit
from anonduck.auditing.audit import Composed
from anonduck.auditing.cover import Degrees
from anonduck.auditing.options import AuditOptions
from anonduck.auditing.original import ClassInference, OriginalReport
from anonduck.errors import AuditError
from anonduck.privacy.chosen_values import ValueChoice, absent_words
from anonduck.privacy.kept_columns import KeptColumns, KeptSizes
from anonduck.privacy.measures import ReleaseContext
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import Criterion, CriterionResult, ask


def frame(rows, **columns):
    return pd.DataFrame({name: [value] * rows if np.isscalar(value) else value for name, value in columns.items()})


# -- words of a report -------------------------------------------------------------------------------------------------


def test_a_report_says_whether_it_meets_what_is_required():
    people = frame(4, age=1)
    assert "k 4" in repr(audit(people))
    assert "required" not in repr(audit(people))
    assert "misses" not in repr(audit(people))
    assert "meets what is required" in repr(audit(people, requirements={"k": 4}))
    missed = repr(audit(people, requirements={"k": 5, "marketer_risk": 0.9}))
    assert "misses k >= 5" in missed
    assert "marketer_risk" not in missed
    assert repr(audit(people)).startswith("<AuditReport: a table")


def test_a_file_is_named(tmp_path):
    frame(3, age=1).to_parquet(tmp_path / "few.parquet")
    assert "few.parquet" in repr(audit(tmp_path / "few.parquet"))


@pytest.mark.parametrize(
    ("rows", "distinct", "warned"), [(20, 20, True), (20, 19, True), (20, 18, False), (19, 19, False)]
)
def test_a_nearly_unique_column_is_warned_of_from_twenty_records_on(rows, distinct, warned):
    values = [*range(distinct), *[0] * (rows - distinct)]
    people = frame(rows, age="[30, 40)", note=[f"secret-{value}" for value in values])
    for roles in ({"insensitive": ["note"]}, {"sensitive": ["note"]}, {"quasi_identifiers": ["age"]}):
        report = audit(people, **roles)
        assert any("column 'note' is nearly unique" in line for line in report.warnings) == warned
        assert "secret" not in json.dumps(report.as_json())
    assert not audit(people, ["age"], class_="note").warnings


def test_persons_are_counted_only_where_they_are_known():
    people = frame(4, age=1, who=[1, 1, 1, 1])
    assert audit(people, quasi_identifiers=["age"], insensitive=["who"]).k == 4
    alone = audit(people, quasi_identifiers=["age"], entity="who")
    assert alone.k == 1
    assert any("one person only" in line for line in alone.warnings)


# -- options -----------------------------------------------------------------------------------------------------------


def test_options_have_the_defaults_that_check_most():
    options = AuditOptions(None)
    assert not options.allow_absent
    assert options.at_most == 1
    assert not options.joint
    assert AuditOptions(None, multiple_sensitive="joint").joint
    assert not Composed(()).exact
    assert not ReleaseContext(1).composed_exactly
    assert not ReleaseContext(1).joint


def test_several_sensitive_columns_can_be_read_together():
    assert ReleaseContext(1, ("ill", "job"), joint=True).jointly
    assert not ReleaseContext(1, ("ill", "job")).jointly
    assert not ReleaseContext(1, ("ill",), joint=True).jointly


def test_the_whole_population_is_a_sample_and_none_of_it_is_not():
    assert audit(frame(3, age=1), sampling_fraction=1).measures["population_uniqueness"].numbers
    with pytest.raises(AuditError, match="greater than 0"):
        audit(frame(3, age=1), sampling_fraction=0)


@pytest.mark.parametrize("values", [["x"], ["x", "y"]])
def test_values_that_the_file_lacks_are_refused_where_only_they_would_be_checked(values):
    people = frame(4, age=1, ill=["a", "a", "b", "b"])
    given = {"sensitive": ["ill"], "sensitive_values": {"ill": values}}
    with pytest.raises(AuditError, match="without checking anything"):
        audit(people, requirements={"alpha": 0.1}, **given)
    report = audit(people, requirements={"alpha": 0.1}, allow_absent=True, **given)
    assert report.met
    assert any("named for the sensitive column 'ill'" in line for line in report.warnings)
    assert audit(people, requirements={"k": 2}, **given).met
    assert audit(people, requirements={"alpha": 0.6}, sensitive=["ill"], sensitive_values={"ill": ["x", "a"]}).met


# -- named values ------------------------------------------------------------------------------------------------------


def test_a_choice_in_words():
    assert ValueChoice().words == "all"
    assert ValueChoice(("none", None)).words == "all but 'none', NULL"
    assert ValueChoice(("hiv",), harmless=False).words == "'hiv'"
    assert ValueChoice((), harmless=False).words == "none of those that were named"


def test_absent_values_are_counted():
    three = ValueChoice(("a", "b", "c"), harmless=False)
    assert absent_words("ill", three, three, "the file") is None
    assert "1 of the 3 values" in absent_words("ill", three, ValueChoice(("a", "b"), harmless=False), "the file")
    assert "does not occur" in absent_words("ill", three, ValueChoice(("a", "b"), harmless=False), "the file")
    assert "2 of the 3 values" in absent_words("ill", three, ValueChoice(("a",), harmless=False), "the file")
    assert "do not occur" in absent_words("ill", three, ValueChoice(("a",), harmless=False), "the file")
    assert "as harmless" in absent_words("ill", ValueChoice(("a",)), ValueChoice(()), "the file")


# -- bounds ------------------------------------------------------------------------------------------------------------


def reached(requirement, number):
    (asked,) = ask(requirement)
    return asked.met_by({asked.model.bounds[0].name: number})


def test_shares_may_be_off_by_rounding_and_counts_may_not():
    assert reached({"t": 0.3}, 0.1 + 0.2)
    assert not reached({"t": 0.3}, 0.3 + 1e-6)
    assert reached({"entropy_l": 2}, 2 - 1e-12)
    assert not reached({"entropy_l": 2}, 2 - 1e-6)
    assert reached({"k": 5}, 5)
    assert not reached({"k": 10**10}, 10**10 - 1)
    assert not reached({"kept_rare": 10**10}, 10**10 + 1)


@pytest.mark.parametrize("name", ["t", "population_uniqueness", "k"])
def test_a_result_says_which_side_is_safe(name):
    model = MODELS[name]
    asked = Criterion(model, {model.bounds[0].name: 1})
    marks = CriterionResult(asked, {model.bounds[0].name: 1}).remarks
    assert marks.get("at_most", False) is (name != "k")
    assert marks.get("upper_end", False) is (name == "population_uniqueness")


@pytest.mark.parametrize(("name", "most"), [("alpha", 1), ("t", 1), ("t_ordered", 1), ("t_hierarchical", 1), ("ha", 1)])
def test_a_share_is_at_most_one(name, most):
    assert ask({name: most})[0].required == most
    with pytest.raises(AuditError, match="from 0 to 1"):
        ask({name: most + 0.5})


def test_what_is_counted_is_whole():
    with pytest.raises(AuditError, match="whole number"):
        ask({"k": 2.5})
    with pytest.raises(AuditError, match="whole number"):
        ask({"lkc": {"l": 1.5, "k": 2, "c": 0.5}})
    with pytest.raises(AuditError):
        ask({"delta_disclosure": {"delta": 1, "log": 1}})
    assert ask({"lkc": {"l": 1, "k": 2, "c": 0.5}})


def test_models_that_a_class_decides_alone_are_known():
    """Suppression leaves out the classes that fail these, and looks at each of them once."""
    local = {"k", "l", "entropy_l", "recursive_l", "frequency_l", "alpha"}
    assert local <= {name for name, model in MODELS.items() if model.local}
    assert not {"t", "beta", "delta_disclosure"} & {name for name, model in MODELS.items() if model.local}
    assert MODELS["k"].absorbing
    assert MODELS["l"].absorbing
    assert not MODELS["t"].absorbing


# -- kept columns ------------------------------------------------------------------------------------------------------


def test_kept_figures_count_values_under_k_and_records_that_may_be_of_one_person():
    rows = [
        (place, holders, values, holders * values) for place in (0, 1) for holders, values in ((1, 3), (2, 2), (6, 1))
    ]
    sizes = KeptSizes.of(["note"], rows)
    assert sizes.columns["note"].values == 6
    found = sizes.figures(3)
    assert found.rare == {"note": 7}
    assert (found.under, found.unique, found.one_person) == (3, 3, None)
    assert sizes.figures(1).under == 2
    assert sizes.figures(3, at_most=2).one_person == 7
    assert sizes.figures(3, at_most=2, persons=True).one_person is None
    assert sizes.figures(3, at_most=1).one_person is None
    assert KeptColumns.from_json(found.as_json()) == KeptColumns(found.rare, found.under, found.unique)
    assert KeptColumns.from_json({}) is None
    assert KeptColumns().most == 0


# -- beside an original ------------------------------------------------------------------------------------------------


def original(covered, covering, matched, **given):
    degrees = Degrees(np.array(covered), np.array(covering), None if matched is None else np.array(matched))
    report = {"file": None, "records": 4, "k": 3, "l": 2.0, "one_valued": 0.0, "degrees": degrees}
    return OriginalReport(**(report | {"inference": ClassInference(0.6, 0.5), "required": {}} | given))


def test_an_original_report_says_who_is_covered_by_too_few():
    fine = original([3, 3, 4, 4], [3, 3, 3, 5], [3, 3, 3, 4])
    assert fine.warnings == []
    few = original([3, 3, 4, 4], [2, 3, 3, 5], [2, 3, 3, 5])
    (words,) = few.warnings
    assert "25.0% of the original records are covered by fewer than 3" in words
    assert "the least by 2" in words
    left = original([3, 3, 4, 4], [3, 3, 3, 5], [1, 2, 3, 4])
    (words,) = left.warnings
    assert "50.0% of these are left" in words
    assert "25.0% with one" in words
    both = original([3, 3, 4, 4], [2, 3, 3, 5], [1, 2, 3, 4])
    assert len(both.warnings) == 2
    unmatched = original([3, 3, 4, 4], [3, 3, 3, 5], None)
    assert "too many to be matched" in unmatched.warnings[0]
    told = original([3, 3, 4, 4], [3, 3, 3, 5], [3, 3, 3, 4], one_valued=0.25)
    assert "25.0% of the distributions have one value" in told.warnings[0]


def test_an_original_report_as_json():
    document = original([3, 3, 4, 4], [2, 3, 3, 5], [1, 2, 3, 4], l=1.23456789)
    found = document.as_json()["original"]
    assert found["l"] == 1.234568
    assert found["released_per_original"] == {"least": 2, "mean": 3.25, "under": 0.25, "one": 0.0}
    assert found["after_matching"] == {"least": 1, "mean": 2.5, "under": 0.5, "one": 0.25}
    thirds = original([1, 1, 2], [1, 1, 2], [1, 1, 2]).as_json()["original"]["after_matching"]
    assert (thirds["mean"], thirds["one"]) == (1.3333, 0.666667)


@pytest.mark.parametrize(("asked", "met"), [(2, True), (2 + 1e-12, True), (2 + 1e-6, False)])
def test_an_original_report_is_met_within_rounding(asked, met):
    report = original([3, 3, 4, 4], [3, 3, 3, 5], [3, 3, 3, 4], required={"l": asked})
    assert report.met is met
    assert (report.failed == "") is met
