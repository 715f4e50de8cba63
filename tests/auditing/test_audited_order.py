"""The order of a release's rows, told from its file."""

import random

import duckdb
import pandas as pd
import pytest
from dealing import dealt

from anonduck.auditing.audit import audit
from anonduck.errors import AuditError

DRAWN = random.Random(3)  # noqa: S311 - no secret
ROWS = [
    (DRAWN.choice(["a", "b", None]), DRAWN.choice([9, 10, 111, -3, None]), DRAWN.choice(["9", "10", "2"]))
    for _ in range(500)
]


def written(folder, rows, ending):
    path = folder / f"rows.{ending}"
    frame = pd.DataFrame(rows, columns=["letter", "number", "code"]).astype({"number": "Int64"})  # noqa: F841
    duckdb.sql(f"COPY (FROM frame) TO '{path}'")
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_order_of_a_release_is_known_from_its_file(tmp_path, ending):
    """In CSV, ``number`` was sorted as numbers, and ``code``, which looks the same, as text."""
    by_values = sorted(ROWS, key=lambda row: [(value is None, value or 0) for value in row[:2]] + [row[2]])
    orders = {"dealt": dealt(ROWS), "sorted": by_values, "neither": ROWS}
    for name, rows in orders.items():
        found = audit(written(tmp_path, rows, ending), ["letter"], row_order=True).as_json()["row_order"]
        assert (found["dealt"], found["sorted"]) == (name == "dealt", name == "sorted")
    moved = dealt(ROWS)
    place = next(at for at in range(1, 500) if moved[at] != moved[at - 1])
    moved[place - 1 : place + 1] = moved[place - 1 : place + 1][::-1]
    report = audit(written(tmp_path, moved, ending), ["letter"], row_order=True)
    assert report.row_order.out_of_place == 2
    assert "2 rows of 500 not where" in report.row_order.words


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 3), (3, 11), (1, 21), (11, 11)],  # the second column as texts leaves as many rows out of place either way
        [(number, 0) for number in (-1.5, -1.25, -1.125, -1.0625, -9.5, 10.5)],
        [(-(2**60) - number, 0) for number in (1, 2, 3, 4, 5)] + [(7, 0), (10, 0)],
    ],
    ids=["both columns", "fractions", "beyond doubles"],
)
def test_numbers_of_a_csv_were_sorted_as_numbers(tmp_path, rows):
    rows = dealt(rows)
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert audit(tmp_path / "rows.csv", ["a", "b"], row_order=True).row_order.dealt


def test_it_is_asked_for_and_of_a_file(tmp_path):
    assert "row_order" not in audit(written(tmp_path, ROWS, "csv"), ["letter"]).as_json()
    for target, engine in (("shop.people", "spark"), ("spark:shop.people", None)):
        with pytest.raises(AuditError, match="have no order"):
            audit(target, engine=engine, row_order=True)
