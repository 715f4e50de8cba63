"""Recodings as data: what a method found, written as JSON, read back, and applied to records that it has not seen.

Nodes are named by their labels (anonduck.methods.column_labels). A stored partition holds values of the source, and
stays in the decision database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from anonduck.methods.column_labels import ColumnLabels, Node, refuse_others, value_texts
from anonduck.methods.cut_tree import CutTree
from anonduck.words import np


@dataclass(frozen=True)
class Levels:
    """The levels of a rule that a method found."""

    kind: ClassVar[str] = "levels"
    levels: Mapping[str, int]

    @property
    def columns(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.levels)

    def to_json(self) -> dict[str, Any]:
        """The levels by column."""
        return {"kind": self.kind, "levels": dict(self.levels)}


@dataclass(frozen=True)
class Cuts:
    """Cuts: by column, the nodes that are opened, as values under them show lower ones, and the level of NULL."""

    kind: ClassVar[str] = "cuts"
    opened: Mapping[str, frozenset[Node]]
    null_levels: Mapping[str, int]

    @classmethod
    def of(cls, names: Sequence[str], labels: Sequence[ColumnLabels], levels: Sequence[np.ndarray]) -> Cuts:
        """The cuts that show each leaf code of each column at a level."""
        opened = {}
        for name, column, shown in zip(names, labels, levels, strict=True):
            codes = [code for code in np.flatnonzero(column.known).tolist() if code]
            pairs = [(code, level) for code in codes for level in range(int(shown[code]) + 1, column.root + 1)]
            opened[name] = frozenset(column.node(code, level) for code, level in pairs)
        nulls = {name: int(shown[0]) for name, shown in zip(names, levels, strict=True)}
        return cls(opened, nulls)

    @property
    def columns(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.opened)

    def in_order(self, names: Sequence[str]) -> Cuts:
        """The same for these columns; raises ConfigError for others."""
        refuse_others(self.columns, names)
        return self

    def levels(self, name: str, labels: ColumnLabels) -> np.ndarray:
        """The level at which each leaf code is shown: that of the highest node over it that is not opened."""
        found = np.full(len(labels.known), labels.root, dtype=np.int64)
        for code in np.flatnonzero(labels.known).tolist():
            while found[code] and labels.node(code, int(found[code])) in self.opened[name]:
                found[code] -= 1
        found[0] = self.null_levels[name]
        return found

    def to_json(self) -> dict[str, Any]:
        """The opened nodes and the level of NULL by column."""
        opened = {name: sorted(map(list, nodes), key=str) for name, nodes in self.opened.items()}
        return {"kind": self.kind, "opened": opened, "null_levels": dict(self.null_levels)}


@dataclass(frozen=True)
class Partition:
    """Classes of records: the nodes of each class, by column, and the class of each combination that was there.

    ``combinations`` has the values of a combination as text, in the order of ``names``, with the number of its class.
    ``reported`` are figures of its method, of the records that it was found by; ``revealed`` is by sensitive column the
    share of those whose value the levels reveal, where the method weighs such columns.
    """

    kind: ClassVar[str] = "partition"
    names: tuple[str, ...]
    nodes: tuple[tuple[Node, ...], ...]
    combinations: Mapping[tuple[str | None, ...], int]
    reported: Mapping[str, Any] = field(default_factory=dict)
    revealed: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        labels: Sequence[ColumnLabels],
        codes: Sequence[np.ndarray],
        classes: np.ndarray,
        levels: Sequence[np.ndarray],
        reported: Mapping[str, Any] | None = None,
        revealed: Mapping[str, float] | None = None,
    ) -> Partition:
        """The classes of combinations.

        Args:
            names: the columns.
            labels: the labels of each column.
            codes: by column, the leaf code of each combination.
            classes: the class of each combination, from 0.
            levels: by column, the level that each class shows.
            reported, revealed: as attributes.
        """
        _, firsts = np.unique(classes, return_index=True)
        nodes = tuple(
            tuple(
                column.node(int(code[first]), int(level[number]))
                for column, code, level in zip(labels, codes, levels, strict=True)
            )
            for number, first in enumerate(firsts.tolist())
        )
        combinations = dict(zip(value_texts(labels, codes), classes.tolist(), strict=True))
        return cls(tuple(names), nodes, combinations, reported or {}, revealed or {})

    @property
    def columns(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.names)

    def covers_all(self, labels: Sequence[ColumnLabels]) -> bool:
        """Whether one of the classes shows nothing but roots, so that each combination has a class."""
        roots = tuple((column.root, None) for column in labels)
        return any(nodes == roots for nodes in self.nodes)

    def in_order(self, names: Sequence[str]) -> Partition:
        """The same with its columns in the order of ``names``; raises ConfigError for others."""
        refuse_others(self.columns, names)
        if self.names == tuple(names):
            return self
        order = [self.names.index(name) for name in names]
        nodes = tuple(tuple(row[at] for at in order) for row in self.nodes)
        combinations = {tuple(values[at] for at in order): number for values, number in self.combinations.items()}
        return replace(self, names=tuple(names), nodes=nodes, combinations=combinations)

    def assigned(
        self, labels: Sequence[ColumnLabels], codes: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """The class of each combination, from 0, and by column the level at which each class is shown.

        A combination that was there keeps its class. A new one joins the class of the lowest nodes, by the sum of
        their levels, that are over all of its values; one that no class covers shows nothing but roots. A class of
        levels that a column has no more, as its taxonomy was built of other records, covers none.
        """
        known = (self.combinations.get(texts, -1) for texts in value_texts(labels, codes))
        found = np.fromiter(known, dtype=np.int64, count=len(codes[0]))
        gone = [number for number, nodes in enumerate(self.nodes) if not _is_within(nodes, labels)]
        found[np.isin(found, gone)] = -1
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._covering(labels, [code[new] for code in codes])
        held, classes = np.unique(found, return_inverse=True)
        roots = [column.root for column in labels]
        shown = [roots if number < 0 else [level for level, _ in self.nodes[number]] for number in held.tolist()]
        return classes.ravel(), tuple(np.array(shown, dtype=np.int64).reshape(-1, len(labels)).T)

    def _covering(self, labels: Sequence[ColumnLabels], codes: Sequence[np.ndarray]) -> np.ndarray:
        """The class that covers each combination; -1 where none does."""
        by_levels: dict[tuple[int, ...], list[int]] = {}
        for number, nodes in enumerate(self.nodes):
            if _is_within(nodes, labels):
                by_levels.setdefault(tuple(level for level, _ in nodes), []).append(number)
        found = np.full(len(codes[0]), -1, dtype=np.int64)
        for levels in sorted(by_levels, key=lambda one: (sum(one), one)):
            left = np.flatnonzero(found < 0)
            classes: dict[tuple[int, ...], int] = {}
            for number in by_levels[levels]:
                key = _numbers(labels, self.nodes[number])
                if key is not None:
                    classes.setdefault(key, number)
            shown = [
                np.zeros(len(left), dtype=np.int64) if level == column.root else column.numbers[1][level][code[left]]
                for column, code, level in zip(labels, codes, levels, strict=True)
            ]
            found[left] = [classes.get(key, -1) for key in zip(*(one.tolist() for one in shown), strict=True)]
        return found

    def to_json(self) -> dict[str, Any]:
        """The nodes of the classes, and the combinations with their classes."""
        return {
            "kind": self.kind,
            "columns": list(self.names),
            "classes": self.nodes,
            "combinations": [(*texts, number) for texts, number in self.combinations.items()],
            "reported": dict(self.reported),
            "revealed": dict(self.revealed),
        }


@dataclass(frozen=True)
class ClassDistributions:
    """What each record shows: a node or an interval in each column, and the share of each value of the class.

    ``shown`` are the distinct rows of nodes, in the order of ``names``, with their shares. ``cells`` has for the values
    of a record as text, its class value last, the number of its row. ``loss`` is that of all records. It is of the
    records that it was found by: others need not be among those that a row covers.
    """

    kind: ClassVar[str] = "distributions"
    names: tuple[str, ...]
    shown: tuple[tuple[tuple[Node, ...], Mapping[str, float]], ...]
    cells: Mapping[tuple[str | None, ...], int]
    loss: float

    @property
    def columns(self) -> list[str]:
        """The columns that it generalizes."""
        return list(self.names)

    def in_order(self, names: Sequence[str]) -> ClassDistributions:
        """The same with its columns in the order of ``names``; raises ConfigError for others."""
        refuse_others(self.columns, names)
        if self.names == tuple(names):
            return self
        order = [self.names.index(name) for name in names]
        shown = tuple((tuple(row[at] for at in order), shares) for row, shares in self.shown)
        cells = {(*(values[at] for at in order), values[-1]): number for values, number in self.cells.items()}
        return replace(self, names=tuple(names), shown=shown, cells=cells)

    def rows(self, cells: Sequence[tuple[str | None, ...]]) -> np.ndarray:
        """The number of the row of each cell, (cells,); -1 for one that it was not found by."""
        return np.array([self.cells.get(cell, -1) for cell in cells], dtype=np.int64)

    def to_json(self) -> dict[str, Any]:
        """The rows, and the cells with their rows."""
        return {
            "kind": self.kind,
            "columns": list(self.names),
            "shown": [{"nodes": list(map(list, nodes)), "shares": dict(shares)} for nodes, shares in self.shown],
            "cells": [[*values, number] for values, number in self.cells.items()],
            "loss": self.loss,
        }


@dataclass(frozen=True)
class Swaps:
    """Which columns are swapped together. Whose values a record shows is drawn for each release, and kept nowhere."""

    kind: ClassVar[str] = "swaps"
    blocks: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> list[str]:
        """The columns that it swaps."""
        return [name for block in self.blocks for name in block]

    def to_json(self) -> dict[str, Any]:
        """The blocks."""
        return {"kind": self.kind, "blocks": [list(block) for block in self.blocks]}


Recoding = Levels | Cuts | Partition | CutTree | ClassDistributions | Swaps
APPLICABLE = (Levels, Cuts, Partition, CutTree)
"""Those that can be applied to records that they were not found by."""


def recoding_from_json(document: Mapping[str, Any]) -> Recoding:
    """The recoding that ``to_json`` wrote."""
    if document["kind"] == Swaps.kind:
        return Swaps(tuple(map(tuple, document["blocks"])))
    if document["kind"] == ClassDistributions.kind:
        return ClassDistributions(
            tuple(document["columns"]),
            tuple((tuple(map(_node, row["nodes"])), row["shares"]) for row in document["shown"]),
            {tuple(values): number for *values, number in document["cells"]},
            document["loss"],
        )
    if document["kind"] == CutTree.kind:
        return CutTree.from_json(document)
    if document["kind"] == Levels.kind:
        return Levels(document["levels"])
    if document["kind"] == Cuts.kind:
        opened = {name: frozenset(map(_node, nodes)) for name, nodes in document["opened"].items()}
        return Cuts(opened, document["null_levels"])
    return Partition(
        tuple(document["columns"]),
        tuple(tuple(map(_node, nodes)) for nodes in document["classes"]),
        {tuple(texts): number for *texts, number in document["combinations"]},
        document["reported"],
        document["revealed"],
    )


def _is_within(nodes: Sequence[Node], labels: Sequence[ColumnLabels]) -> bool:
    """Whether each column has the level of its node, and for its root no label."""
    within = ((node[0] < column.root, node == (column.root, None)) for node, column in zip(nodes, labels, strict=True))
    return all(map(any, within))


def _node(pair: Sequence[Any]) -> Node:
    level, label = pair
    return level, label


def _numbers(labels: Sequence[ColumnLabels], nodes: Sequence[Node]) -> tuple[int, ...] | None:
    """The numbers of a class's nodes, 0 for roots; None where no value of a column is under its node any more."""
    found = [
        0 if level == column.root else column.numbers[0].get((level, label), -1)
        for column, (level, label) in zip(labels, nodes, strict=True)
    ]
    return None if -1 in found else tuple(found)
