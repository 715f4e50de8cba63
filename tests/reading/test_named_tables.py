"""Tables of a DuckDB file whose schema or name has a blank, a point or a quote."""

import duckdb
import pytest
from bad_inputs import laid_out, refused
from read_sources import opened

from anonduck import audit
from anonduck.errors import SourceError


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    with duckdb.connect(str(folder / "shop.duckdb")) as made:
        for number, (schema, name) in enumerate(
            [("my schema", "people"), ("main", "my table"), ("a.b", 'c"d'), ("a", "b.c")]
        ):
            quoted_schema, quoted = ('"' + part.replace('"', '""') + '"' for part in (schema, name))
            made.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted_schema}")
            made.execute(f"CREATE TABLE {quoted_schema}.{quoted} AS SELECT {number} AS x, 'a' AS c")
    return folder


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("my schema.people", 0),
        ('"my schema".people', 0),
        ('"my schema"."people"', 0),
        ("my table", 1),
        ('"my table"', 1),
        ("main.my table", 1),
        ('"a.b"."c""d"', 2),
        ('a.b.c"d', 2),
        ("a.b.c", 3),
        ('shop."my schema".people', 0),
    ],
)
def test_a_table_is_named_with_or_without_quotes(shop, name, number):
    assert opened(shop, f"shop.duckdb::{name}")[1] == [{"x": number, "c": "a"}]
    if not name.startswith("shop"):
        assert audit(f"{shop}/shop.duckdb::{name}", ["x"]).rows == 1


@pytest.mark.parametrize("name", ["my schem.people", "people", "my schema.persons", "my schema.people; drop"])
def test_what_exists_is_listed_where_a_table_is_not_found(shop, name):
    with pytest.raises(SourceError, match=r"has a\.b\.c, a\.b\.c\"d, main\.my table, my schema\.people"):
        opened(shop, f"shop.duckdb::{name}")


@pytest.mark.slow
def test_a_command_lists_what_exists(capsys, shop):
    laid_out(shop, {}, "source: shop.duckdb::my schem.people\nclass: c\n")
    refused(capsys, shop, "it has|has a.b.c", "release", "x=0", "-o", "o.csv")
