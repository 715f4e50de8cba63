"""The lock file ``anonduck.lock.yml``: the recoding that releases use from now on, and what must not change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from anonduck.config.config import MAX_SEED, ColumnWay
from anonduck.config.reading import read_mapping, refuse_empty
from anonduck.config.requirement import RequirementOptions
from anonduck.config.taxonomy import ColumnName, Strict
from anonduck.config.ways import RANGES
from anonduck.database.private_file import write_whole
from anonduck.errors import ConfigError
from anonduck.rules.rule import literal
from anonduck.words import did_you_mean

LOCK_NAME = "anonduck.lock.yml"
VERSION = 1
TREE_HEAD = "node,column,first,last,next\n"
TREE_ROW = re.compile(r"-?\d+(,-?\d+){4}")
HEAD = """\
# What anonduck releases by. `anonduck lock` writes this file, `anonduck run --locked` applies it; keep it in git.
# It holds no record of the source, and no value that few records hold but those which the config or its files list:
# taxonomies are here by fingerprints, and trees by round bounds and by labels.
"""
Level = Annotated[int, Field(strict=True, ge=0)]
Fingerprint = Annotated[str, StringConstraints(pattern=r"^(hmac-)?sha256:[0-9a-f]{64}$")]


class LockedTaxonomy(Strict):
    """A taxonomy that a locked release needs."""

    kind: str = Field(description="what made it: intervals, clusters, computed, listed, shipped or file")
    levels: Level = Field(description="its levels above the values")
    fingerprint: Fingerprint = Field(description="hash of its content")


class LockedMethod(Strict):
    """A method with all its options and its seed."""

    name: str = Field(min_length=1, description="its name")
    options: dict[str, StrictBool | StrictInt | StrictFloat | str] = Field(description="all its options")
    seed: Annotated[int, Field(strict=True, ge=0, le=MAX_SEED)] = Field(description="the seed")


class LockedColumn(Strict):
    """What a cut tree cuts a column at: bounds, or nodes of its taxonomy."""

    name: ColumnName = Field(description="the column")
    bounds: list[str] | None = Field(None, description="bounds in their order, as text")
    nodes: list[tuple[Level, str]] | None = Field(
        None, description="level and name of nodes, in their order: a value, a label, or the number of a group"
    )
    labels: list[str] | None = Field(None, description="what these nodes are called now")

    @model_validator(mode="after")
    def _is_cut_in_one_way(self) -> LockedColumn:
        if (self.bounds is None) == (self.nodes is None):
            raise ValueError("a column is cut at bounds or at nodes; one of the two")
        marks = self.bounds if self.nodes is None else self.nodes
        if len(set(marks or [])) < len(marks or []):
            raise ValueError("no bound and no node of a column stands twice")
        return self

    @property
    def largest(self) -> int:
        """The largest place in its order."""
        return len(self.bounds or self.nodes or [])


class LockedTree(Strict):
    """A cut tree (anonduck.methods.cut_tree)."""

    columns: list[LockedColumn] = Field(min_length=1, description="its columns")
    detail: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(
        description="the share of detail that its classes kept of the records that it was made of"
    )
    rows: str = Field(description="as CSV, a row for each range of places on a side of a cut")

    def document(self) -> dict[str, Any]:
        """The tree as CutTree.from_json reads it."""
        columns = [one.model_dump(exclude_none=True, exclude={"labels"}) for one in self.columns]
        rows = [[int(number) for number in line.split(",")] for line in self.rows.split()[1:]]
        return {"kind": "tree", "columns": columns, "tree": rows, "detail": self.detail}

    @classmethod
    def of(cls, document: Mapping[str, Any], labels: Mapping[str, list[str]]) -> LockedTree:
        """The tree that CutTree.to_json wrote; ``labels`` are those of its nodes, by column."""
        rows = "".join(",".join(map(str, row)) + "\n" for row in document["tree"])
        columns = [
            LockedColumn.model_validate({**one, "labels": labels.get(one["name"])}) for one in document["columns"]
        ]
        return cls(columns=columns, detail=document["detail"], rows=TREE_HEAD + rows)

    @field_validator("rows")
    @classmethod
    def _is_csv(cls, rows: str) -> str:
        first, *others = rows.split() or [""]
        if first + "\n" != TREE_HEAD or not others or not all(TREE_ROW.fullmatch(line) for line in others):
            raise ValueError(f"the rows are CSV of whole numbers under the line {TREE_HEAD.strip()}")
        return rows

    @model_validator(mode="after")
    def _is_tree(self) -> LockedTree:
        """Each node is under one before it, and its ranges cover the order of one column."""
        ends: dict[int, tuple[int, int]] = {}
        over = {0: -1}
        rows = self.document()["tree"]
        for node, column, first, last, following in rows:
            known_column, end = ends.get(node, (column, -2))
            if column != known_column or not 0 <= column < len(self.columns) or first != end + 1 or last < first:
                raise ValueError(f"the ranges of node {node} do not cover the order of one column")
            if following <= node or over.setdefault(following, node) != node:
                raise ValueError(f"node {following} is not under one node before it")
            ends[node] = (column, last)
        if sorted(over) != list(range(len(over))) or [row[0] for row in rows] != sorted(row[0] for row in rows):
            raise ValueError("the nodes are not numbered from 0, in the order of the rows")
        for node, (column, last) in ends.items():
            if last != self.columns[column].largest:
                raise ValueError(f"the ranges of node {node} do not end with the order of its column")
        return self


class Lock(Strict):
    """What is locked: a rule or a method, the roles of columns, the requirement, the taxonomies."""

    version: Literal[1] = Field(description="format of this file")
    rule: dict[ColumnName, Level] | None = Field(None, min_length=1, description="levels of the rule, by column")
    method: LockedMethod | None = Field(None, description="the method, in place of a rule")
    recoding: Fingerprint | None = Field(None, description="fingerprint of what the method found, which is applied")
    tree: LockedTree | None = Field(None, description="the cut tree that the method found, which is applied")
    k: Annotated[int, Field(strict=True, ge=2)] | None = Field(
        None, description="the k that it was found for, where that is more than is required"
    )
    groups: dict[ColumnName, LockedTaxonomy] | None = Field(
        None, description="the taxonomies for that k which the recoding is kept with"
    )
    show: Literal["typical"] | dict[ColumnName, ColumnWay] | None = Field(
        None, description="what its classes show, where that is no range: in all columns, or by column"
    )
    bounds: Literal["columns"] | None = Field(None, description="how ranges are written, where that is no text")
    next: Literal["refuse"] | None = Field(
        None, description="what becomes of classes with too few records, if not pruned"
    )
    class_: ColumnName | None = Field(None, alias="class", description="the class, if there is one")
    sensitive: list[ColumnName] = Field(description="columns released as they are, whose values nobody should infer")
    insensitive: list[ColumnName] = Field(description="columns released as they are")
    requirement: RequirementOptions = Field(description="what must be met")
    keep: dict[ColumnName, Level | None] = Field(description="columns that must stay")
    unmapped: Literal["refuse", "root"] = Field(description="what becomes of values that a taxonomy does not know")
    records: Fingerprint = Field(description="fingerprint of `where`, `types`, `nulls`, `timezone`, `sensitive_values`")
    key: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")] = Field(
        description="name of the key that fingerprints of built taxonomies were made with"
    )
    taxonomies: dict[ColumnName, LockedTaxonomy] = Field(description="the taxonomies that it is released by")

    @model_validator(mode="after")
    def _one_recoding(self) -> Lock:
        if (self.rule is None) == (self.method is None):
            raise ValueError("a lock holds a rule or a method; one of the two")
        if self.show is not None and self.method is None:
            raise ValueError("a rule shows levels, and takes no `show`")
        if self.recoding is not None and self.method is None:
            raise ValueError("a fingerprint of a recoding stands beside the method that found it")
        if self.k is not None and self.method is None:
            raise ValueError("a `k` of its own stands beside the method that found a recoding for it")
        if self.tree is not None and (self.method is None or self.recoding is not None):
            raise ValueError("a tree stands beside the method that found it, in place of a fingerprint")
        if self.tree is None and self.next is not None:
            raise ValueError("`next` says what becomes of the classes of a tree, and there is none")
        if (self.k is None or (self.recoding is None and self.tree is None)) != (self.groups is None):
            raise ValueError("a recoding that was found for a `k` of its own stands beside the `groups` for that k")
        return self

    @property
    def way(self) -> str | None:
        """What is shown in all columns; None where that differs, as the config then says."""
        return None if isinstance(self.show, dict) else self.show or RANGES

    @property
    def text(self) -> str:
        """What is locked: the literal of a rule, or the name of a method."""
        return literal(self.rule) if self.rule is not None else self.method.name if self.method else ""

    def as_json(self) -> dict[str, Any]:
        """The lock as its file has it."""
        dumped = self.model_dump(mode="json", by_alias=True, exclude={"requirement"})
        ordered = {**dumped, "requirement": required(self.requirement)}
        if self.tree is not None:
            ordered["tree"] = self.tree.model_dump(mode="json", exclude_none=True)
        return {
            name: ordered[name]
            for name in (field.alias or key for key, field in Lock.model_fields.items())
            if ordered[name] is not None
        }


def required(requirement: RequirementOptions) -> dict[str, Any]:
    """What is required, by name, suppression included where some is allowed."""
    suppression = {"suppression": requirement.suppression} if requirement.suppression else {}
    return {**requirement.asked, **suppression}


def read_lock(path: Path) -> Lock:
    """Read a lock file; raises ConfigError with the file, the key, and what it may be."""
    data = read_mapping(path, "lock file", "anonduck lock RULE", LOCK_NAME)
    refuse_empty(Lock, data, whose=f"the lock file {path}")
    try:
        return Lock.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(dict.fromkeys(_explained(item) for item in error.errors()))
        raise ConfigError(f"the lock file {path}: {problems}. `anonduck lock RULE` writes it anew") from None


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are, so that a change of a tree shows the rows that changed."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock file in the place of an earlier one; raises ConfigError if it cannot be written."""
    text = yaml.dump(lock.as_json(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    write_whole(path, HEAD + text)


def _explained(item: Any) -> str:
    where = ".".join(map(str, item["loc"]))
    if item["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in Lock.model_fields.items()]
        asked = did_you_mean(str(item["loc"][-1]), known) if len(item["loc"]) == 1 else ""
        return f"unknown key {where}{asked}"
    if item["type"] == "missing":
        return f"the key {where} is missing"
    if item["loc"] == ("version",):
        return f"version: this anonduck reads version {VERSION}"
    message = str(item["msg"]).removeprefix("Value error, ").replace("Input should be", "it should be")
    return f"{where}: {message[:1].lower() + message[1:]}" if where else message
