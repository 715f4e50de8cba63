"""Which version a table of Iceberg or Delta is at, as its catalog tells: by answers made up, without either."""

from types import SimpleNamespace

import pytest

from anonduck.engines.relation import Place
from anonduck.engines.spark_files import table_version

NAME = "`lake`.`a ``b``.c`"
PLACE = Place(("lake", "a `b`.c"))


class Told:
    """A session that has an answer to each question; it remembers what it was asked."""

    def __init__(self, provider, **answers):
        columns = [("id", "bigint", None), ("Provider", "iceberg", None), ("", "", "")]
        details = [("# Detailed Table Information", "", ""), ("Name", "a", "")]
        self.answers = {"DESCRIBE TABLE EXTENDED": columns + details + [("Provider", provider, "")] * bool(provider)}
        self.answers |= answers
        self.asked = []

    def sql(self, text):
        self.asked.append(text)
        found = next(rows for start, rows in self.answers.items() if text.startswith(start.replace("_", " ")))
        return SimpleNamespace(collect=lambda: found)

    def table(self, name):
        self.asked.append(name)
        return SimpleNamespace(collect=lambda: self.answers["refs"])


def frame(schema="[id]"):
    return SimpleNamespace(schema=SimpleNamespace(json=lambda: schema))


def delta(table, version):
    return Told("delta", DESCRIBE_DETAIL=[{"id": table}], DESCRIBE_HISTORY=[{"version": version}])


def iceberg(*snapshots):
    refs = [{"name": "main", "snapshot_id": one} for one in snapshots]
    return Told("ICEBERG", refs=[{"name": "tried", "snapshot_id": 5}, *refs])


def version(session, schema="[id]"):
    return table_version(session, frame(schema), PLACE)


def test_a_version_of_delta_is_that_of_the_table_and_no_other():
    first = delta("x", 3)
    told = [version(first), version(delta("x", 4)), version(delta("y", 3)), version(first, "[id, age]")]
    assert len(set(told)) == 4
    assert None not in told
    assert version(delta("x", 3)) == told[0]
    assert first.asked[:3] == [
        f"DESCRIBE TABLE EXTENDED {NAME}",
        f"DESCRIBE DETAIL {NAME}",
        f"DESCRIBE HISTORY {NAME} LIMIT 1",
    ]


def test_a_version_of_iceberg_is_the_snapshot_of_its_main_branch():
    first = iceberg(8_744_736_658_442_914_487)
    told = [version(first), version(iceberg(1)), version(first, "[id, age]")]
    assert len(set(told)) == 3
    assert None not in told
    assert first.asked[1] == f"{NAME}.refs"
    assert version(iceberg()) is None


@pytest.mark.parametrize("provider", ["parquet", "", None])
def test_another_table_has_no_version_whatever_its_columns_are_called(provider):
    assert version(Told(provider)) is None


def test_files_have_no_version_and_nothing_is_asked():
    session = Told("delta")
    assert table_version(session, frame(), Place(path="s3a://lake/a")) is None
    assert session.asked == []
