"""Lists in query files: what each macro writes for no, one and several items, what may stand where, what is refused."""

import duckdb
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.statements.expansion import BindingError, Expression, expanded, parsed, quoted, used

NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), min_size=1, max_size=12)
ODD = ['odd "name"', "each(a, b)", "{n}", "a;b", "-- a", "'", ")"]


def written(text, **given):
    return expanded(parsed(text, {}), given)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ('each(names, "{name}")', ["a", "b"], '"a", "b"'),
        ('each(names, t{n}."{name}" AS c_{n})', ["a", "b"], 't0."a" AS c_0, t1."b" AS c_1'),
        ('all_of(names, x."{name}" = y."{name}"; TRUE)', ["a", "b"], 'x."a" = y."a" AND x."b" = y."b"'),
        ('all_of(names, "{name}"; TRUE)', [], "TRUE"),
        ('any_of(names, "{name}"; FALSE)', ["a", "b"], '("a" OR "b")'),
        ('any_of(names, "{name}"; FALSE)', ["a"], '"a"'),
        ('CASE branches(names, WHEN "{name}" THEN {n}) END', ["a", "b"], 'CASE WHEN "a" THEN 0 WHEN "b" THEN 1 END'),
        ('FROM t joins(names, JOIN "{name}" ON true;)', ["a", "b"], 'FROM t JOIN "a" ON true\nJOIN "b" ON true'),
        ('united(names, SELECT 1 FROM "{name}")', ["a", "b"], 'SELECT 1 FROM "a"\nUNION ALL\nSELECT 1 FROM "b"'),
        ('SELECT each(names, "{name}";), 1', [], "SELECT  1"),
        ('SELECT 1, each(names, "{name}";) FROM t', [], "SELECT 1 FROM t"),
        ('FROM t GROUP BY each(names, "{name}";)', [], "FROM t "),
        ('sum(1) OVER (PARTITION BY each(names, "{name}";))', [], "sum(1) OVER ()"),
        ("each(names, f({n}, (1 + 2)))", ["a", "b"], "f(0, (1 + 2)), f(1, (1 + 2))"),
    ],
)
def test_what_a_list_writes(text, names, expected):
    assert written(text, names=names) == expected


def test_an_item_of_no_items_takes_its_comma_along():
    text = "SELECT each(outer, each(inner, {x};);), 1"
    for first, second in (([], [{"x": 1}]), ([{"x": 1}], [])):
        assert written(text, outer=[{"inner": first}, {"inner": second}]).replace(" ", "") == "SELECT1,1"


def test_a_negative_number_opens_no_comment():
    assert duckdb.sql(written("SELECT 1 -{x}", x=-1)).fetchall() == [(2,)]


def test_a_list_in_a_list_sees_both_items():
    items = [{"name": "a", "cuts": [{"at": 1}, {"at": 2}]}, {"name": 'b"', "cuts": [{"at": 3}]}]
    text = 'each(columns, CASE branches(cuts, WHEN "{name}" < {at} THEN {n}) END)'
    assert written(text, columns=items) == (
        'CASE WHEN "a" < 1 THEN 0 WHEN "a" < 2 THEN 1 END, CASE WHEN "b""" < 3 THEN 0 END'
    )


@given(st.lists(NAMES | st.sampled_from(ODD), min_size=1, max_size=5, unique_by=str.lower))
@examples(60)
def test_any_name_is_read_back(names):
    query = written('SELECT each(names, {n} AS "{name}")', names=names)
    with duckdb.connect() as connection:
        assert [column[0] for column in connection.execute(query).description] == names


@pytest.mark.parametrize(
    ("text", "given_"),
    [
        ("each(names, {name})", {"names": ["a"]}),  # a name outside quotes
        ('each(names, "{name}")', {"names": [Expression("1 + 1")]}),  # an expression as a name
        ("each(names, {size})", {"names": [{"size": "1; DROP TABLE t"}]}),
        ("each(names, {size})", {"names": [{"size": 1.5}]}),
        ("each(names, {other})", {"names": ["a"]}),
        ('each(names, "{name}")', {"names": []}),  # nothing says what stands there
    ],
)
def test_what_may_not_stand_there_is_refused(text, given_):
    with pytest.raises(BindingError):
        written(text, **given_)


@pytest.mark.parametrize("text", ["each(names, 1", "each(names)", "1)", "SELECT 1; SELECT 2", "each(, 1)"])
def test_what_is_not_closed_is_refused(text):
    with pytest.raises(BindingError):
        parsed(text, {})


@pytest.mark.parametrize(
    "text",
    [
        "SELECT count(DISTINCT quasi) FROM t",  # several columns are no distinct combinations
        "SELECT * FROM t JOIN u USING (quasi)",  # NULL would not meet NULL
        "SELECT * FROM t ORDER BY quasi DESC",  # only the last would be descending
        "SELECT * FROM t ORDER BY quasi NULLS FIRST",
    ],
)
def test_a_marker_of_columns_that_would_change_the_meaning_is_refused(text):
    with pytest.raises(BindingError, match="the list quasi stands between"):
        parsed(text, {"quasi": "columns"})


def test_a_list_says_for_each_item_what_a_marker_cannot():
    counted = written('SELECT count(DISTINCT row(each(names, "{name}"))) FROM t', names=["a", "b"])
    joined = written('FROM t JOIN u ON all_of(names, t."{name}" IS NOT DISTINCT FROM u."{name}")', names=["a", "b"])
    ordered = written('FROM t ORDER BY each(names, "{name}" DESC NULLS FIRST)', names=["a", "b"])
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS FROM (VALUES (1, NULL), (1, 2), (3, 1), (3, 1)) AS rows(a, b)")
        connection.execute("CREATE TABLE u AS SELECT DISTINCT a, b FROM t")
        assert connection.execute(counted).fetchall() == [(3,)]
        assert len(connection.execute(joined).fetchall()) == 4
        assert connection.execute(ordered).fetchall() == [(3, 1), (3, 1), (1, None), (1, 2)]


def test_texts_and_comments_are_left_as_they_are():
    text = "SELECT '{name} each(a, b) t' -- each(names, 1)\n"
    assert written(text) == "SELECT '{name} each(a, b) t' \n"
    assert set(used(parsed("SELECT t.a, 't', \"t\", $t FROM t", {"t": "table"}), {"t": "table"})) == {"t", "$t"}


def test_what_is_quoted_once_is_one_name():
    assert quoted('a"; DROP TABLE b; --') == '"a""; DROP TABLE b; --"'
