"""Releases by classes, by brute force: the smallest common node of each class in each column, and what is shown."""

import csv

import duckdb
import pandas as pd
from oracles import CLASS

from anonduck import Project


def labels_of(paths, value):
    """The labels of a value at each level, the value itself first; NULL is a value of its own under the root."""
    if value is None:
        root = len(next(iter(paths.values())))
        return [None] * root + ["*"]
    return [str(value), *paths[value]]


def common(paths, values):
    """Level and label of the lowest node that all values share."""
    columns = [labels_of(paths, value) for value in values]
    return next((level, at[0]) for level, at in enumerate(zip(*columns, strict=True)) if len(set(at)) == 1)


def recoded(names, paths, rows, assigned):
    """What each record shows in each column, as levels and labels."""
    nodes = {
        (group, i): common(paths[name], [row[i] for row, other in zip(rows, assigned, strict=True) if other == group])
        for group in set(assigned)
        for i, name in enumerate(names)
    }
    return [tuple(nodes[group, i] for i in range(len(names))) for group in assigned]


def released(names, paths, rows, shown):
    """Names and rows of the release of some records: a column of values alone is typed, one of roots alone left out."""
    roots = [len(next(iter(paths[name].values()))) for name in names] if rows else []
    levels = [{nodes[i][0] for nodes in shown} for i in range(len(names))]
    kept = [i for i, root in enumerate(roots) if levels[i] != {root}]
    typed = [levels[i] == {0} for i in range(len(names))]

    def text(i, label):
        return int(label) if typed[i] and label is not None else label

    return (
        [names[i] for i in kept] + [CLASS],
        [(*(text(i, nodes[i][1]) for i in kept), row[-1]) for nodes, row in zip(shown, rows, strict=True)],
    )


def sorted_rows(rows):
    return sorted(rows, key=lambda row: [(value is None, value if value is not None else "") for value in row])


def parquet(path):
    """Names and rows of a file. To open a database for each takes longer than many a release."""
    result = duckdb.sql(f"SELECT * FROM read_parquet('{path}')")
    return result.columns, result.fetchall()


def frame_of(names, rows):
    """Rows as a table of numbers and the class."""
    frame = pd.DataFrame({name: pd.array([row[i] for row in rows], dtype="Int64") for i, name in enumerate(names)})
    frame[CLASS] = pd.array([row[-1] for row in rows], dtype="string")
    return frame


def taxonomy_files(folder, names, paths):
    """The taxonomies as files, and as a config names these."""
    taxonomies = {}
    for number, name in enumerate(names):
        path = folder / f"{number}.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([(value, *labels) for value, labels in paths[name].items()])
        taxonomies[name] = {"file": str(path), "header": False}
    return taxonomies


def opened(folder, names, paths, rows, kept=(), **requirement):
    """A project over rows with the keys 0, 1, ..., whose taxonomies are files; columns that are ``kept`` hold "n"."""
    frame = frame_of(names, rows)
    frame.insert(0, "key", range(len(rows)))
    for name in kept:
        frame[name] = "n"
    roles = {"class_": CLASS, "identifiers": ["key"], "insensitive": list(kept)}
    taxonomies = taxonomy_files(folder, names, paths)
    return Project(source=frame, **roles, taxonomies=taxonomies, requirement=requirement)
