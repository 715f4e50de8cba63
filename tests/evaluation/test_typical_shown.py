"""What classes show as typical values of counted records: the same as the release of them, to its last score."""

from collections import Counter
from contextlib import ExitStack
from datetime import date, timedelta

import duckdb
import numpy as np
import pandas as pd
import pytest

from anonduck import Project
from anonduck.evaluation.evaluation import evaluate
from anonduck.evaluation.finding import recode_by_method, recode_typically
from anonduck.evaluation.source_cells import SourceCells
from anonduck.models.cross_validation import never

K = 5
KEYS = {
    "plain": {},
    "dates": {"taxonomies": {"born": {"dates": ["month", "quarter", "decade"]}}},
    "guarded": {"requirement": {"k": K, "l": 2, "suppression": 0.3}, "sensitive": ["group"]},
}


def people(rows=300, seed=0):
    """Numbers, decimals and dates before and after 1970 that hardly two share, towns that few share, NULL in each."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 60, rows)
    frame = pd.DataFrame(
        {
            "age": pd.array(age, dtype="Int64"),
            "pay": 900.0 + random.permutation(rows) * 7.25,
            "born": [date(1958, 3, 4) + timedelta(days=int(one) * 11) for one in random.integers(0, 600, rows)],
            'an "odd" name': random.choice(["x", "y", "z"], rows, p=[0.6, 0.38, 0.02]),
            "town": random.choice([f"t{at}" for at in range(40)], rows),
            "class": np.where(age + random.normal(0, 8, rows) > 40, "yes", "no"),
        }
    ).astype({"born": object, 'an "odd" name': object, "town": object})
    for name in ("age", "born", 'an "odd" name', "town"):
        frame.loc[random.random(rows) < 0.08, name] = None
    frame["group"] = frame["class"]
    return frame


@pytest.mark.some(1)
@pytest.mark.parametrize("method", ["mondrian", "guided"])
@pytest.mark.parametrize("kind", KEYS)
def test_counted_records_show_what_the_release_does(tmp_path, method, kind):
    keys = {"requirement": {"k": K}, "insensitive": ["group"], "models": ["tree"], **KEYS[kind]}
    if "sensitive" in keys:
        del keys["insensitive"]
    frame = people()
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(
            f"COPY (SELECT * REPLACE (CAST(born AS DATE) AS born) FROM frame) TO '{tmp_path}/people.parquet'"
        )
    with Project(source=f"{tmp_path}/people.parquet", class_="class", **keys) as one, ExitStack() as stack:
        made = one.anonymize(method, tmp_path / "out.parquet", show="typical")
        workspace = one.workspace.counting_records()
        cells = SourceCells(workspace, stack).own
        found = recode_typically(workspace, recode_by_method(workspace, cells, method, {}, K), K)
        scored = evaluate(found, workspace.config, workspace.reporter, never)
    released = duckdb.sql(f"SELECT * EXCLUDE (class, \"group\") FROM '{tmp_path}/out.parquet'")
    counts = Counter(tuple(None if value is None else str(value) for value in row) for row in released.fetchall())
    assert found.settled.kept == tuple(released.columns)
    assert (scored.k, scored.classes, scored.suppressed) == (made.k, made.classes, made.suppressed)
    assert scored.k == min(counts.values()) >= K
    assert counts == texts_of(found.settled)
    utility = made.owner["utility"]
    assert scored.information_gain == utility["information_gain"]
    assert scored.measures == utility["measures"]
    assert 0 < scored.scores.by_model["tree"].accuracy < 1


def texts_of(settled):
    """The records by what they show, as text; numbers and dates as Python writes those of their types."""
    found = Counter()
    kept = [settled.cells.names.index(name) for name in settled.kept]
    for at in np.flatnonzero(settled.stays):
        shown = [settled.shown.columns[place].texts[settled.shown.labels[place][at]] for place in kept]
        whole = [name == "pay" and text is not None for name, text in zip(settled.kept, shown, strict=True)]
        row = tuple(str(float(text)) if is_pay else text for is_pay, text in zip(whole, shown, strict=True))
        found[row] += int(settled.cells.records[at])
    return found
