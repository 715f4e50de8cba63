"""Each key of the schema refuses values of the wrong kind, out of range and without a text, and names of no column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from anonduck import Project
from anonduck.config.config import json_schema
from anonduck.config.reading import make_config
from anonduck.errors import AnonduckError, ConfigError, SourceError

SCHEMA = json_schema()
SAMPLES = {"null": None, "boolean": True, "integer": 3, "number": 0.25, "string": "x", "array": [], "object": {}}
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
ONE_FOR_A_LIST = {("taxonomies", "age", "quantiles"), ("taxonomies", "age", "breaks", 0)}
"""Keys that read one value as a list of it; bounds may be dates as texts."""

MAY_BE_EMPTY = {
    *((key,) for key in ("source", "where")),  # refused where they are read, as there is no source, no condition
    *(("csv", key) for key in ("delim", "quote", "escape", "comment", "nullstr")),  # empty: there is none
    ("csv", "nullstr", 0),
}
NAMING: dict[str, Any] = {
    "class": "nosuch",
    "identifiers": ["nosuch"],
    "entity": "nosuch",
    "sensitive": ["nosuch"],
    "sensitive_values": {"nosuch": ["x"]},
    "insensitive": ["nosuch"],
    "drop": ["nosuch"],
    "subgroups": ["nosuch"],
    "quasi_identifiers": ["nosuch"],
    "taxonomies": {"nosuch": {"clusters": True}},
    "order": {"nosuch": ["low", "high"]},
    "labels": {"nosuch": {"a": "b"}},
    "keep": {"nosuch": 1},
    "types": {"nosuch": "VARCHAR"},
    "split_by": "nosuch",
    "weights": {"nosuch": 1.0},
}
Path = tuple[str | int, ...]


def branches(node: dict[str, Any]) -> list[dict[str, Any]]:
    """What a node of the schema may be, each without references and alternatives."""
    while "$ref" in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        node = {**SCHEMA["$defs"][node["$ref"].rsplit("/", 1)[1]], **rest}
    return [one for part in node["anyOf"] for one in branches(part)] if "anyOf" in node else [node]


def kinds(node: dict[str, Any]) -> set[str]:
    listed = [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]
    named = node.get("type", [])
    found = {KINDS[type(value)] for value in listed} | set([named] if isinstance(named, str) else named)
    return found | ({"integer"} if "number" in found else set())


def keys(node: dict[str, Any], path: Path = ()) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Every key and item of the schema, with what it may be; a column stands for all columns."""
    allowed = branches(node)
    yield path, allowed
    for one in allowed:
        for name, below in one.get("properties", {}).items():
            yield from keys(below, (*path, name))
        for name, step in (("additionalProperties", "age"), ("items", 0)):
            if isinstance(one.get(name), dict):
                yield from keys(one[name], (*path, step))


def wrong(path: Path, allowed: list[dict[str, Any]]) -> Iterator[Any]:
    """Values that a key must refuse."""
    may_be = set().union(*map(kinds, allowed))
    column = path[-1] in ("column", "cluster_on", path[0], 0) and path[0] in NAMING.keys() - {"taxonomies", "entity"}
    column = column or path[-1] == "column"
    numbers = {"integer", "number", *(["string"] if "breaks" in path else [])}
    numbers = numbers if column or path in ONE_FOR_A_LIST else set()  # a column may be called 2020
    if may_be:
        yield from (value for kind, value in SAMPLES.items() if kind not in may_be | numbers)
    if may_be & {"boolean"} and not may_be & {"integer", "number"}:
        yield from (0, 1)
    if may_be & {"integer", "number"} and "string" not in may_be and path not in ONE_FOR_A_LIST:
        yield from ("3", "")
    if "string" in may_be and path not in MAY_BE_EMPTY:
        yield ""
    for one in allowed:
        yield from (one[end] - 1 for end in ("minimum",) if end in one)
        yield from (one[end] + 1 for end in ("maximum",) if end in one)
        yield from (one[end] for end in ("exclusiveMinimum", "exclusiveMaximum") if end in one)
        if one.get("type") == "number":
            yield from (float("nan"), float("inf"))
        if "enum" in one and not any(kinds(other) == {"string"} and "enum" not in other for other in allowed):
            yield "nonesuch"


def cases() -> list[Any]:
    found = {
        f"{'.'.join(map(str, path))}={value!r}": (path, value)
        for path, allowed in keys(SCHEMA)
        if path
        for value in wrong(path, allowed)
    }
    return [pytest.param(*case, id=name) for name, case in found.items()]


@pytest.mark.parametrize(("path", "value"), cases())
def test_a_key_refuses_what_its_schema_does_not_allow(path, value):
    given: Any = value
    for step in reversed(path):
        given = [given] if step == 0 else {step: given}
    roles = {"sensitive": ["ill"], "entity": "person"} if path[0] == "requirement" else {}
    with pytest.raises(ConfigError):
        make_config({"source": "s.csv", "class": "c", **roles, **given})


@pytest.mark.parametrize("key", NAMING)
def test_a_key_that_names_no_column_of_the_source_is_refused(tmp_path, key):
    pd.DataFrame({"age": [1, 2], "c": ["x", "y"]}).to_csv(tmp_path / "s.csv", index=False)
    (tmp_path / "anonduck.yml").write_text("source: s.csv\nclass: c\n")
    given = {"source": str(tmp_path / "s.csv"), "class_": "c"} | {key.replace("class", "class_"): NAMING[key]}
    with pytest.raises((ConfigError, SourceError), match="nosuch") as refused, Project(**given) as project:
        project.sql({"age": 0})
    assert isinstance(refused.value, AnonduckError)
