"""DuckDB's type names stand in one place, and tell families."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from anonduck.statements import column_types as types

ROOT = Path(__file__).parents[2] / "anonduck"
# "NAME, DATE" is what a person writes.
NAMES = re.compile(
    r"\b(VARCHAR|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL|BIGNUM|BOOLEAN|(?<!NAME, )DATE|TIME"
    r"|TIMESTAMP\w*|INTERVAL|BLOB|BIT|UUID|STRUCT|ENUM|INET)\b"
)


SQL = re.compile(r"{\w+}|::|^\s*(SELECT|CREATE|ALTER|DELETE|INSERT|UPDATE)\b")
"""What a text of SQL has: a field, a cast, or the word that opens a statement."""


def spelled(path: Path) -> Iterator[str]:
    """The texts of a module, without its documentation and SQL, that name a type."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield from (node.value for _ in NAMES.finditer(node.value) if not SQL.search(node.value))


@pytest.mark.slow
def test_no_other_module_spells_the_name_of_a_type() -> None:
    allowed = {
        ROOT / "statements" / "column_types.py",
        ROOT / "engines" / "warehouse_queries.py",  # has the names of other engines
        ROOT / "release" / "scripts" / "select_parts.py",  # calls BigQuery's function STRUCT
    }
    found = {
        str(path.relative_to(ROOT)): list(spelled(path))
        for path in ROOT.rglob("*.py")
        if path not in allowed and "statements" not in path.parts
    }
    assert {name: texts for name, texts in found.items() if texts} == {}
    assert list(spelled(ROOT / "statements" / "column_types.py"))


# an expression, the family of the type that DuckDB gives it, and what else that type is
FAMILIES = [
    ("1::TINYINT", "whole", "numeric whole listable"),
    ("1::UBIGINT", "whole", "numeric whole listable"),
    ("1::HUGEINT", "whole", "numeric whole"),
    ("1::UHUGEINT", "whole", "numeric whole"),
    ("1.5::DECIMAL(9,2)", "whole", "numeric"),
    ("1::DECIMAL(9,0)", "whole", "numeric whole"),
    ("1.5::FLOAT", "real", "numeric"),
    ("NULL::DOUBLE", "real", "numeric listable"),
    ("true", "boolean", ""),
    ("DATE '2020-01-01'", "date", "temporal"),
    ("TIME '10:00:00'", "time", "temporal"),
    ("TIMESTAMP '2020-01-01'", "time", "temporal"),
    ("TIMESTAMP_S '2020-01-01'", "time", "temporal"),
    ("TIMESTAMPTZ '2020-01-01'", "time", "temporal"),
    ("INTERVAL 1 DAY", "time", ""),
    ("'a'", "text", "text listable"),
    ("'a'::ENUM('a', 'INTEGER')", "text", "text listable"),
    ("gen_random_uuid()", "text", "text"),
    ("'a'::BLOB", "text", "binary"),
    ("[1, NULL]", "text", "nested"),
    ("[1.5::DECIMAL(9,2)]", "whole", "nested"),
    ("{'a': 1}", "text", "nested"),
    ("MAP {'a': 1}", "text", "nested"),
]
OF = {
    "numeric": types.is_numeric,
    "temporal": types.is_temporal,
    "whole": types.is_whole,
    "text": types.is_text,
    "nested": types.is_nested,
    "listable": types.is_listable,
    "binary": types.is_binary,
}


@pytest.mark.parametrize(("expression", "family", "which"), FAMILIES)
def test_families_are_told_by_the_names_that_duckdb_gives(expression: str, family: str, which: str) -> None:
    kind = duckdb.sql(f"SELECT typeof({expression})").fetchall()[0][0]
    assert (types.family_of(kind), {name for name, is_one in OF.items() if is_one(kind)}) == (
        family,
        set(which.split()),
    )
    assert types.has_order(kind) == bool({"numeric", "temporal"} & set(which.split()))


def test_the_names_are_those_of_duckdb() -> None:
    named = {
        *types.WHOLE,
        *types.FLOATS,
        *types.DATED,
        types.TIME,
        types.ZONED_TIME,
        types.TEXT,
        types.BOOLEAN,
        types.BIGNUM,
    }
    named |= {types.DURATION, types.UUID, types.JSON, "BIT"}
    assert {duckdb.sql(f"SELECT typeof(NULL::{name})").fetchall()[0][0] for name in named} == named
    assert duckdb.sql("DESCRIBE SELECT NULL").fetchall()[0][1] in (types.UNKNOWN, "INTEGER")  # which DuckDB 1 says
