"""What knowing the method adds: by brute force on the released file, and where it is known."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from anonduck import Project
from anonduck.attacks.downcoding import likeliest
from anonduck.offer import refinement
from anonduck.statements import Statement


def people(records=240):
    random = np.random.default_rng(4)
    age = pd.Series(random.normal(40, 12, records).clip(18, 80).round())
    age[random.random(records) < 0.05] = np.nan
    job = pd.Series(random.zipf(1.4, records).clip(max=60)).map("job {:02d}".format)
    bought = random.choice(["yes", "no"], records)
    return pd.DataFrame({"age": age, "job": job, "bought": bought, "number": np.arange(records)})


def results():
    """Eight groups of five people each; in four of them one has a rare result."""
    rare = np.isin(np.arange(40), [3, 11, 22, 34])
    group = pd.Series(np.repeat(np.arange(8), 5)).map("group {}".format)
    return pd.DataFrame({"group": group, "result": np.where(rare, "yes", "no"), "bought": ["yes", "no"] * 20})


def offered(frame, *methods):
    """A project with an offer of these methods."""
    kept = [name for name in frame if name == "number"]
    one = Project(
        source=frame, class_="bought", insensitive=kept, requirement={"k": 5}, models=[], methods=["rules", *methods]
    )
    one.discover()
    return one


def refined(project):
    return project.candidates().set_index("id")["refined"]


# -- by brute force ----------------------------------------------------------------------------------------------------


class Column:
    """A column by sets of the values that occur: those of its nodes, and those behind a label."""

    def __init__(self, project, values):
        query = f'SELECT * FROM taxonomy."{values.name}" ORDER BY code_0'
        rows = project.database.records(Statement("nodes", query))
        self.values = values.astype(object).where(values.notna(), None)
        there = set(self.values)
        leaves = [None, *(row["value"] for row in rows)]
        self.nodes = [{value} for value in leaves if value in there]
        for level in [name for name in rows[0] if name.startswith("level_")]:
            for label in dict.fromkeys(row[level] for row in rows):
                self.nodes.append({row["value"] for row in rows if row[level] == label} & there)
        self.by_text = {}
        for row in rows:
            for text in {str(row[name]) for name in row if name == "value" or name.startswith("level_")}:
                self.by_text.setdefault(text, set()).add(row["value"])

    def behind(self, label):
        if label is None or pd.isna(label):
            return {None}
        if label == "*":
            return set(self.values)
        if label[0] in "[(":
            low, high = (float(end) for end in label[1:-1].split(","))
            return {one for one in set(self.values) - {None} if low <= one < high}
        return self.by_text[label] & set(self.values)

    def compared(self, label, own):
        """Whether each guess of how the values ``own`` of a class lie in finer nodes is right."""
        inside = self.behind(label)
        finer = [node for node in self.nodes if node < inside]
        parts = {frozenset(max((node for node in finer if one in node), key=len)) for one in inside if len(inside) > 1}
        if len(parts) < 2:
            return None
        parts = sorted(parts, key=lambda part: max(at for at, node in enumerate(self.nodes) if node == part))
        shares = np.array([self.values.isin(part).sum() for part in parts], dtype=float)
        truth = [own.isin(part).sum() for part in parts]
        return [list(likeliest(len(own), shares / shares.sum(), minimal=known)) == truth for known in (True, False)]


@pytest.mark.parametrize("method", ["mondrian", "mondrian:numbers=intervals"])
def test_labels_are_refined_as_by_brute_force(tmp_path, method):
    frame, path = people(), tmp_path / "released.parquet"
    with offered(frame, method) as project:
        found = refined(project)
        project.release("M1", path)
        columns = [Column(project, frame[name]) for name in ("age", "job")]
    released = pd.read_parquet(path).set_index("number")
    tried = []
    for labels, group in released.groupby(["age", "job"], dropna=False):
        for label, column in zip(labels, columns, strict=True):
            guess = column.compared(label, column.values[group.index])
            tried += [] if guess is None else [guess]
    right, plain = zip(*tried, strict=True)
    assert found["M1"]["labels"] == len(tried) > 20
    assert found["M1"]["right"] == pytest.approx(np.mean(right))
    assert found["M1"]["plain"] == pytest.approx(np.mean(plain))
    assert found["M1"]["gain"] == pytest.approx(np.mean(right) - np.mean(plain))
    assert found["M1"]["error"] == 0  # all classes are drawn


# -- where it is known -------------------------------------------------------------------------------------------------


def test_a_rare_result_is_told_by_the_label_over_both():
    """The label says that somebody of the five has it; by shares alone, nobody would."""
    with offered(results(), "mondrian") as project:
        found = refined(project)["M1"]
    assert (found["labels"], found["right"], found["plain"]) == (4, 1.0, 0.0)


@pytest.mark.parametrize(
    ("levels", "labels"),
    [
        ([1, 2, 2], 1),  # a node of level 1 in one of level 2
        ([1, 1, 1], 0),  # two apart
    ],
)
def test_a_label_that_several_nodes_share_is_refined_as_the_widest_or_not_at_all(levels, labels):
    over = np.array([[0, 4, 6, 7], [1, 4, 6, 7], [2, 5, 6, 7], [3, 5, 6, 7]])
    cell = SimpleNamespace(nodes=over, over=over, by_loss=SimpleNamespace(free=None))
    column = SimpleNamespace(labels=range(4), cell=cell, root=3)
    settled = SimpleNamespace(
        equivalence=np.zeros(3, dtype=int),
        stays=np.ones(3, dtype=bool),
        cells=SimpleNamespace(records=np.array([3, 1, 4]), leaves=[np.array([0, 2, 3])]),
        shown=SimpleNamespace(columns=[column], levels=[np.array(levels)]),
    )
    found = refinement.refinement(settled, 0)
    assert (found["labels"] if found else 0) == labels


def test_without_finer_nodes_nothing_is_refined():
    with offered(pd.DataFrame({"age": np.repeat([30, 40], 10), "bought": ["yes", "no"] * 10}), "mondrian") as project:
        assert project.candidates().set_index("id")["k"]["M1"] == 10
        assert refined(project).isna().all()


def test_fewer_drawn_classes_give_the_gain_within_its_error(monkeypatch):
    found = []
    for drawn in (refinement.DRAWN, 15):
        monkeypatch.setattr(refinement, "DRAWN", drawn)
        with offered(people(), "mondrian:splits=entropy") as project:
            found.append(refined(project)["M1"])
    whole, part = found
    assert 0 < part["labels"] < whole["labels"]
    assert part["error"] > whole["error"] == 0
    assert abs(part["gain"] - whole["gain"]) < 3 * part["error"]
