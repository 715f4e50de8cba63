"""Masks, prefixes and mail domains: labels cut from the text of a value; and what all computed taxonomies share."""

import re

import pandas as pd
import pytest
import sqlglot
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from labelling import check_tree, hold, labelled, options

import anonduck
from anonduck.database.progress import Reporter
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.builders.computed import (
    complete_options,
    computed_key,
    is_ordered,
    label_query,
    levels_of,
    report_outside,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=9)
CODES = st.text("01*é日", max_size=7)


# -- masks -------------------------------------------------------------------------------------------------------------


def test_padding_gives_numbers_their_leading_zeros_back(database):
    chosen = options(mask="right", length=5, pad="0", step=3)
    assert labelled(database, chosen, ["2134", "12345", None], "INTEGER") == [
        ("2134", "02***", "*"),
        ("12345", "12***", "*"),
        (None, None, None),
    ]


def masked(text, side, length, step, pad):
    """Oracle: characters one by one."""
    while pad and len(text) < length:
        text = pad + text
    for hidden in range(step, length, step):
        kept = length - hidden
        shown = text[:kept] if side == "right" else text[max(len(text) - kept, 0) :]
        stars = "*" * (length - len(shown))
        yield shown + stars if side == "right" else stars + shown
    yield "*"


@examples(80)
@given(
    st.lists(st.none() | CODES | TEXTS, min_size=1),
    st.sampled_from(["right", "left"]),
    st.integers(1, 8),
    st.integers(1, 4),
    st.sampled_from([None, "0", "é"]),
)
def test_masks_are_as_counted_and_make_a_tree(shared, values, side, length, step, pad):
    chosen = options(mask=side, length=length, step=step, pad=pad)
    paths = labelled(shared, chosen, values)
    check_tree(paths)
    for value, path in zip(values, paths, strict=True):
        if value is not None:
            assert path[1:] == tuple(masked(value, side, length, step, pad))


def test_a_mask_takes_the_length_of_the_longest_value(database):
    hold(database, ["1", "日本語", None])
    complete = complete_options(database, options(mask="right"), "VARCHAR", "held")
    assert complete.length == 3
    assert levels_of(complete, "VARCHAR") == 3
    hold(database, [None])
    assert complete_options(database, options(mask="right"), "VARCHAR", "held").length == 1


@pytest.mark.parametrize(
    ("chosen", "column_type", "words"),
    [
        ({"mask": "right"}, "VARCHAR", "length"),
        ({"mask": "right", "length": 40}, "VARCHAR", "40 levels.*step: 2"),
        ({"mask": "right", "length": 5, "pad": "*"}, "VARCHAR", "pad is one character other than"),
        ({"mask": "left", "length": 5}, "DOUBLE", "text or integers; the column is DOUBLE"),
        ({"prefix": [2]}, "DATE", "the column is DATE"),
        ({"email": True}, "INTEGER", "the column is INTEGER"),
        ({"ip": True}, "BIGINT", "the column is BIGINT"),
        ({"ip": [129]}, "VARCHAR", "1 to 128"),
        ({"geohash": True}, "DOUBLE", "the column is DOUBLE"),
        ({"geohash": [13]}, "VARCHAR", "1 to 12"),
        ({"intervals": 5}, "INTEGER", "one of mask, prefix, dates, ip, email, geohash"),
    ],
)
def test_options_that_cannot_be_are_refused(chosen, column_type, words):
    for function in (lambda o: levels_of(o, column_type), lambda o: label_query(o, column_type, "held")):
        with pytest.raises(TaxonomyError, match=words):
            function(options(**chosen))


# -- prefixes ----------------------------------------------------------------------------------------------------------


@examples(60)
@given(st.lists(st.none() | CODES | TEXTS, min_size=1), st.sets(st.integers(1, 8), min_size=1))
def test_prefixes_are_as_sliced_and_make_a_tree(shared, values, lengths):
    lengths = sorted(lengths, reverse=True)
    paths = labelled(shared, options(prefix=lengths), values)
    check_tree(paths)
    for value, path in zip(values, paths, strict=True):
        if value is not None:
            assert path[1:-1] == tuple({"*": "**", "": "(empty)"}.get(value[:n], value[:n]) for n in lengths)


def test_enums_and_uuids_are_text(database):
    assert labelled(database, options(prefix=[1]), ["ab", None], "ENUM('ab', 'c')") == [
        ("ab", "a", "*"),
        (None, None, None),
    ]
    uuid = "c7c1f4f0-0000-4000-8000-000000000000"
    assert labelled(database, options(prefix=[2]), [uuid], "UUID") == [(uuid, "c7", "*")]


# -- e-mail addresses --------------------------------------------------------------------------------------------------


def test_addresses_go_to_their_domain(database):
    values = [
        "Jane@Example.ORG",
        "a@b@c.co.uk.",
        "Jane <j@x.de>",
        "j@localhost",
        "j@[10.0.0.1]",
        "no address",
        "@",
        None,
    ]
    assert labelled(database, options(email=True), values) == [
        ("Jane@Example.ORG", "*@example.org", "*@*.org", "*"),
        ("a@b@c.co.uk.", "*@c.co.uk", "*@*.uk", "*"),
        ("Jane <j@x.de>", "*@x.de", "*@*.de", "*"),
        ("j@localhost", "*@localhost", "*@*.localhost", "*"),
        ("j@[10.0.0.1]", "*@[10.0.0.1]", "*@[*]", "*"),
        ("no address", "(not an address)", "(not an address)", "*"),
        ("@", "(not an address)", "(not an address)", "*"),
        (None, None, None, None),
    ]


def domain(text):
    """Oracle: what follows the last @, read backwards."""
    rest = text.rstrip("\t\n\f\r ")
    rest = rest.removesuffix(">") if rest.rpartition("@")[2] != ">" else rest
    _, at, name = rest.rpartition("@")
    broken = not at or not name or re.search(r"[\t\n\f\r <>,;]", name)
    return "" if broken else name.lower().rstrip(".")


@examples(80)
@given(st.lists(st.none() | st.text("aAZ.@@@ <>[]*,\n", max_size=8) | TEXTS, min_size=1))
def test_domains_are_as_read_backwards_and_make_a_tree(shared, values):
    values = [*values, *(f"*@{domain(value)}" for value in values if value and value.isascii() and domain(value))]
    paths = labelled(shared, options(email=True), values)
    check_tree(paths)
    for value, path in zip(values, paths, strict=True):
        if value is not None and value.isascii():
            assert path[1] == ("*@" + domain(value) if domain(value) else "(not an address)")


# -- what all share ----------------------------------------------------------------------------------------------------

EVERY = [
    options(mask="right", length=5),
    options(mask="left", length=5, pad="0"),
    options(prefix=[3, 2, 1]),
    options(dates=["day", "month", "year"], format="%Y-%m-%d"),
    options(dates=["hour", "week"], format="%Y-%m-%d %H %z", zone="Asia/Tokyo"),
    options(ip=True),
    options(email=True),
    options(geohash=True),
]


@examples(60)
@given(st.sampled_from(EVERY), st.lists(st.none() | TEXTS, min_size=1, max_size=30))
def test_any_text_has_a_path(shared, chosen, values):
    check_tree(labelled(shared, chosen, values))


@pytest.mark.some(3)
@pytest.mark.parametrize("name", ["held", "held_values", "texts", "computed_1", "read_1", 'odd "name".x', "SELECT"])
def test_the_relation_may_have_any_name(database, name):
    quoted = name.replace('"', '""')
    database.run(Statement("test", f"""CREATE TEMP TABLE "{quoted}" AS SELECT '10.1.2.3' AS value, 7 AS level_1"""))
    for relation in (name, ("temp", name)):
        rows = database.rows(label_query(options(ip=[8]), "VARCHAR", relation))
        assert rows == [("10.1.2.3", "10.0.0.0/8", "*")]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", EVERY, ids=lambda chosen: str(computed_key(chosen)))
def test_the_query_can_be_read_and_written_again(database, chosen):
    """Other builders may put the query into one of theirs."""
    hold(database, ["2020-05-17", "10.0.0.1", "1.5,2.5", "a@b.c", "é", None])
    query = label_query(chosen, "VARCHAR", "held")
    again = sqlglot.parse_one(query.sql, read="duckdb").sql("duckdb")
    assert database.rows(Statement("again", again)) == database.rows(query)


def test_a_quote_in_an_option_stays_text(database):
    chosen = options(dates=["year"], format="%Y' OR ''='")
    assert labelled(database, chosen, ["2020' OR ''='", "2020"]) == [
        ("2020' OR ''='", "2020", "*"),
        ("2020", "(not a date)", "*"),
    ]


def test_values_that_are_no_addresses_are_counted(database):
    said = []
    hold(database, ["10.0.0.1", "x", None])
    labels = label_query(options(ip=True), "VARCHAR", "held")
    database.run(Statement("test", f"CREATE TEMP TABLE labels AS {labels.sql}"))
    report_outside(database, options(ip=True), "VARCHAR", "labels", said.append)
    assert said == ["1 of 2 values share the node (not an address)"]
    database.run(Statement("test", "DELETE FROM labels WHERE value = '10.0.0.1'"))
    with pytest.raises(TaxonomyError, match="all 1 values are \\(not an address\\)"):
        report_outside(database, options(ip=True), "VARCHAR", "labels", said.append)


WRONG = {
    "mask cuts characters of text or integers": ([1.5, 2.5], {"mask": "left"}),
    "all 2 values are (not an address)": (["a", "b"], {"ip": True}),
}


@pytest.mark.parametrize("words", WRONG)
def test_an_error_names_the_column(words):
    values, chosen = WRONG[words]
    frame = pd.DataFrame({"seen at": values, "class": ["a", "b"]})
    project = anonduck.Project(source=frame, class_="class", taxonomies={"seen at": chosen})
    with project, pytest.raises(TaxonomyError) as raised:
        project.build_taxonomies()
    assert str(raised.value).startswith(f"taxonomy of column 'seen at': {words}")


def test_what_is_announced_names_the_column():
    said, frame = [], pd.DataFrame({"host": ["10.0.0.1", "x"], "class": ["a", "b"]})
    settings = {"class_": "class", "taxonomies": {"host": {"ip": True}}, "reporter": Reporter(said.append)}
    with anonduck.Project(source=frame, **settings) as one:
        one.build_taxonomies()
    assert "taxonomy of column 'host': 1 of 2 values share the node (not an address)" in said


def test_only_dates_that_do_not_come_back_are_ordered():
    assert is_ordered(options(dates=["day", "year"]), "DATE")
    assert not is_ordered(options(dates=["day", "weekday"]), "DATE")
    assert not is_ordered(options(dates=["day", "year"], format="%Y%m%d"), "VARCHAR")
    assert not is_ordered(options(mask="right", length=2), "VARCHAR")
    assert computed_key(options(clusters=True)) is None
