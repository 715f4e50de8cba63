"""Profiles counted by hand, roles that follow from them, and configs that read back with the same meaning."""

import re
from dataclasses import replace

import pandas as pd
import pytest
import yaml
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck import Project
from anonduck.config.reading import read_config
from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.init.config_file import render_config
from anonduck.init.init import initialize
from anonduck.init.profile import ColumnProfile, profile
from anonduck.init.proposal import propose, warnings_of
from anonduck.privacy.direct_identifiers import DirectIdentifiers
from anonduck.source.engine import DuckDBSource
from anonduck.statements import Statement

ROWS = 100


def profiled(select: str) -> list[ColumnProfile]:
    database = Database()
    database.run(Statement("test source", f"CREATE TEMP VIEW source AS {select}"))
    found = profile(DuckDBSource(database))
    database.close()
    return found


def proposed(expression: str, name: str = "x", rows: int = ROWS):
    quoted = name.replace('"', '""')
    profiles = profiled(f'SELECT {expression} AS "{quoted}", i % 2 AS class, i % 7 AS beside FROM range({rows}) t(i)')
    return propose(profiles, "class").columns[0]


def column(name: str, **counts) -> ColumnProfile:
    known = {"type": "VARCHAR", "rows": 100, "nulls": 0, "distinct": 7, "shortest": 1, "longest": 9}
    return ColumnProfile(name=name, **{**known, "emails": 0.0, "phones": 0.0, **counts})


# -- counts ------------------------------------------------------------------------------------------------------------


def test_counts_by_hand():
    rows = "(1, 'ab', [1]), (2, '', NULL), (2, NULL, [1]), (NULL, 'ab', [2]), (5, 'äöü', [2])"
    found = profiled(f'SELECT * FROM (VALUES {rows}) t(n, "odd ""name", l)')
    assert [replace(column, texts=None, direct=DirectIdentifiers()) for column in found] == [
        ColumnProfile("n", "INTEGER", 5, 1, 3, 1, 1, 0.0, 0.0),
        ColumnProfile('odd "name', "VARCHAR", 5, 1, 3, 0, 3, 0.0, 0.0),
        ColumnProfile("l", "INTEGER[]", 5, 1, 2, 3, 3, 0.0, 0.0),
    ]


def test_a_source_without_rows_and_a_column_without_values():
    (empty,) = profiled("SELECT 1 AS a WHERE false")
    assert (empty.rows, empty.distinct, empty.longest, empty.uniqueness) == (0, 0, None, 0.0)
    (nothing,) = profiled("SELECT NULL::INTEGER AS a FROM range(3)")
    assert (nothing.rows, nothing.nulls, nothing.counts) == (3, 3, "INTEGER, 0 distinct values, 3 NULL")


@pytest.mark.slow
@examples(25)
@given(values=st.lists(st.one_of(st.none(), st.sampled_from(["", "a", "b", "NULL", "a@b.org", " "])), max_size=30))
def test_equal_to_a_count_in_python(values):
    database = Database()
    database.register("source", pd.DataFrame({"a": pd.array(values, dtype="string")}))
    (found,) = profile(DuckDBSource(database))
    database.close()
    filled = [value for value in values if value is not None]
    assert (found.rows, found.nulls, found.distinct) == (len(values), values.count(None), len(set(filled)))
    assert (found.shortest, found.longest) == (min(map(len, filled), default=None), max(map(len, filled), default=None))
    assert found.emails == pytest.approx(filled.count("a@b.org") / len(filled) if filled else 0)


def test_columns_beyond_a_block_are_counted_in_little_memory():
    columns = ", ".join(f"CASE WHEN i >= {n} THEN i % {n + 1} END AS c{n}" for n in range(120))
    database = Database(memory_limit="600MB", threads=2)
    database.run(Statement("test source", f"CREATE TEMP VIEW source AS SELECT {columns} FROM range(130) t(i)"))
    steps = []
    found = profile(DuckDBSource(database), lambda *step: steps.append(step))
    database.close()
    for n, one in enumerate(found):
        values = [i % (n + 1) for i in range(130) if i >= n]
        counts = (one.name, one.rows, one.filled, one.distinct, one.shortest, one.longest)
        lengths = [len(str(value)) for value in values]
        assert counts == (f"c{n}", 130, len(values), len(set(values)), min(lengths), max(lengths))
    assert steps[-1] == ("profiling columns", 119, 120)


def test_a_large_source_is_counted_whole():
    (found,) = profiled("SELECT CASE WHEN i < 1000 THEN i % 10 ELSE i END AS a FROM range(250_000) t(i)")
    assert (found.rows, found.distinct) == (250_000, 249_010)


# -- roles -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("expression", "name", "reason"),
    [
        ("'u' || i", "x", "each value is unique"),
        ("i", "x", "each value is unique"),
        ("i::HUGEINT * 10000000000000000000", "x", "each value is unique"),
        ("i::DECIMAL(10, 0)", "x", "each value is unique"),
        ("CASE WHEN i > 49 THEN i END", "x", "each value is unique"),
        ("'u' || greatest(i, 5)", "x", "nearly unique, 95 values in 100 records"),
        ("'p' || (i % 5) || '@example.org'", "x", "100% of its values look like e-mail addresses"),
        ("CASE WHEN i % 4 > 0 THEN 'p' || (i % 5) || '@example.org' ELSE 'none' END", "x", "75% of its values"),
        ("'+39 02 123456' || (i % 5)", "x", "100% of its values look like telephone numbers"),
        ("'(555) 010-000' || (i % 5)", "x", "look like telephone numbers"),
        ("i % 5", "id", "its name suggests so"),
        ("i % 5", "customer_id", "its name suggests so"),
        ("i % 5", "customerID", "its name suggests so"),
        ("i % 5", "Customer Id", "its name suggests so"),
        ("'v' || (i % 5)", "SSN", "its name suggests so"),
        ("'v' || (i % 5)", "session-uuid", "its name suggests so"),
        ("'v' || (i % 5)", "last_name", "its name suggests so"),
        ("uuid()", "x", "UUID"),
        ("[i]", "x", "nested or binary"),
        ("{'a': i % 2}", "x", "nested or binary"),
        ("map {'a': i % 2}", "x", "nested or binary"),
        ("encode('a')", "x", "nested or binary"),
        ("'v' || (i % 5)", "fname", "its name suggests so"),
        ("'v' || (i % 5)", "Last", "its name suggests so"),
        ("'v' || (i % 5)", "patient_name", "its name suggests so"),
        ("'v' || (i % 5)", "NAME_LAST", "its name suggests so"),
        ("'v' || (i % 5)", "home address", "its name suggests so"),
        ("i % 30", "customer_no", "its name suggests so"),
        ("i % 30", "Patient", "its name suggests so"),
        ("md5((i // 2)::VARCHAR)", "x", "look drawn at random"),  # two records each
        ("upper(left(sha256((i // 2)::VARCHAR), 16))", "x", "look drawn at random"),
        ("to_base64(encode(md5((i // 2)::VARCHAR)))", "x", "look drawn at random"),
        ("'v' || (i % 5)", "user_hash", "its name suggests so"),
        ("'v' || (i % 5)", "Token", "its name suggests so"),
    ],
)
def test_what_is_proposed_as_identifier(expression, name, reason):
    found = proposed(expression, name)
    assert (found.role, found.taxonomy) == ("identifiers", None)
    assert reason in found.reason


@pytest.mark.some(7)
@pytest.mark.parametrize(
    ("expression", "name", "taxonomy"),
    [
        ("i / 3", "height", {"intervals": 5}),  # unique, but a measurement
        ("(i / 3)::DECIMAL(10, 4)", "price", {"intervals": 5}),
        ("DATE '2020-01-01' + i::INTEGER % 10", "day", {"intervals": 3}),
        ("greatest(i, 6)", "x", {"intervals": 5}),  # 94 % unique
        ("i % 5", "x", {"clusters": True}),  # few whole numbers are codes
        ("i % 5", "n_children", {"intervals": 3}),
        ("i % 5 * 100", "x", {"intervals": 3}),
        ("i % 11", "x", {"intervals": 3}),
        ("(i % 5)::DOUBLE", "x", {"clusters": True}),  # the same values, the same treatment
        ("'v' || (i % 5)", "x", {"clusters": True}),
        ("'v' || (i % 5)", "paid", {"clusters": True}),  # ends in the letters id
        ("'v' || (i % 5)", "product_name", {"clusters": True}),
        ("i % 2 = 0", "has_email", {"clusters": True}),
        ("CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END", "has_phone", {"clusters": True}),
        ("'2020-01-0' || (i % 5)", "x", {"clusters": True}),  # a date as text is no telephone number
        ("'2012' || (i % 5)", "postcode", {"clusters": True}),
        ("'a @ b.c' || (i % 5)", "x", {"clusters": True}),
        ("CASE WHEN i % 2 = 0 THEN 1 END", "x", {"intervals": 2}),
        ("i % 5", "first", {"clusters": True}),  # a number is no name
        ("'2020-01-0' || (i % 5)", "last", {"clusters": True}),
        ("i % 5", "customer_no", {"intervals": 3}),  # five values in so many records are no persons
        ("i / 3", "income", {"intervals": 5}),  # so exact that it would single out
        ("7 * i", "income", {"intervals": 5}),  # unique, but an amount is no key
        ("i % 5", "outcome", {"clusters": True}),
        ("i % 5", "incoming", {"clusters": True}),
    ],
)
def test_what_is_proposed_as_quasi_identifier(expression, name, taxonomy):
    found = proposed(expression, name)
    assert (found.role, found.taxonomy) == ("quasi_identifiers", taxonomy)


def test_a_class_of_many_values_is_warned_of():
    profiles = [replace(column("kind"), distinct=1917), column("a")]
    (warning,) = warnings_of(propose(profiles, "kind"))
    assert "'kind' has 1,917 distinct values, and no search takes more than 256" in warning


def test_numbers_read_as_codes_say_which_key_makes_them_numbers():
    found = proposed("1 + i % 2", "sex")
    assert "few whole numbers (2), read as codes of categories" in found.reason
    assert found.reason.endswith("if their order means something, `intervals: 2`")


@pytest.mark.parametrize("expression", ["'services of kind ' || (i % 30)", "repeat((i % 30)::VARCHAR, 12)"])
def test_words_and_digits_are_not_drawn_at_random(expression):
    assert proposed(expression).role == "quasi_identifiers"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "name", "matter"),
    [
        ("'v' || (i % 5)", "diagnosis", "health"),
        ("i % 5", "yearlyIncome", "income"),
        ("'v' || (i % 5)", "Religion", "religion"),
        ("'v' || (i % 5)", "c_charge_desc", "offences"),
        ("i % 5", "prior_offences", "offences"),
        ("i % 2 = 0", "union member", "politics"),
        ("CASE WHEN i % 3 > 0 THEN 'v' || (i % 5) END", "ICD10", "health"),
    ],
)
def test_what_is_proposed_as_sensitive(expression, name, matter):
    found = proposed(expression, name)
    assert (found.role, found.taxonomy) == ("sensitive", None)
    assert found.reason == f"its name suggests {matter}, which nobody should infer of a person"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [("NULL::INTEGER", "only NULL"), ("1", "the same value in every record"), ("'a'", "the same value")],
)
def test_what_says_nothing_is_dropped(expression, reason):
    found = proposed(expression)
    assert (found.role, found.taxonomy) == ("drop", None)
    assert reason in found.reason


NOTE = (
    "CASE i % 5 WHEN 0 THEN 'write to p' || (i % 40) || '@example.org' "
    "WHEN 1 THEN 'call +39 06 12345' || (100 + i % 40) ELSE 'seen again on day ' || (i % 40) END"
)


UNIQUE_NOTE = (
    "CASE WHEN i % 5 = 0 THEN 'call +39 06 12345' || (100 + i) ELSE 'seen again on day ' || i END || ' by ward ' || i"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "name", "reason"),
    [
        (NOTE, "note", "e-mail addresses in 20% of its cells, telephone numbers in 20% of its cells"),
        ("CASE WHEN i < 2 THEN 'DE89370400440532013000' ELSE 'v' || (i % 5) END", "paid", "IBANs in 1% of its cells"),
        ("CASE WHEN i < 2 THEN '4111 1111 1111 1111' ELSE 'v' || (i % 5) END", "paid", "card numbers in 1%"),
        ("'http://example.org/' || (i % 9)", "page", "web addresses in 100% of its cells"),
        ("CASE WHEN i < 4 THEN 'from 10.0.0.' || i ELSE 'v' || (i % 5) END", "seen", "IP addresses in 2% of its cells"),
        ("'the patient was seen on ward ' || (i % 60)", "note", "free text, which may name anybody: 100% of its cells"),
        (UNIQUE_NOTE, "note", "telephone numbers in 20% of its cells; is free text, which may name anybody: 100%"),
    ],
)
def test_text_that_names_people_is_dropped(expression, name, reason):
    found = proposed(expression, name, rows=200)
    assert (found.role, found.taxonomy) == ("drop", None)
    assert reason in found.reason
    assert not re.search("example|1234|patient|ward", found.reason)


@pytest.mark.parametrize("expression", ["'10.0.' || (i % 3) || '.' || (i % 10)", "'2020-01-0' || (1 + i % 9)"])
def test_addresses_and_dates_are_still_generalized(expression):
    assert proposed(expression).role == "quasi_identifiers"


def test_text_that_names_people_is_not_generalized_for_want_of_another_column():
    profiles = profiled(f"SELECT {NOTE} AS note, i % 2 AS class FROM range(200) t(i)")
    assert [one.role for one in propose(profiles, "class").columns] == ["drop", "class"]
    kept = propose(profiles, "class", insensitive=["note"])
    generalized = propose(profiles, "class", quasi_identifiers=["note"])
    for proposal in kept, generalized:
        (warning,) = warnings_of(proposal)
        assert "'note'" in warning
        assert "e-mail addresses in 20% of its cells" in warning


def test_exact_values_of_a_sensitive_matter_are_generalized_and_it_is_said_why():
    assert proposed("i / 3", "income").reason.endswith(
        "its name suggests income, but values this exact would single records out"
    )


def test_few_rows_tell_nothing_about_uniqueness():
    assert proposed("'u' || i", rows=19).role == "quasi_identifiers"
    assert proposed("'u' || i", rows=20).role == "identifiers"


def test_given_roles_are_kept():
    profiles = [column("id"), column("a"), column("b"), column("c")]
    profiles += [column("person_id"), column("salary")]
    found = propose(profiles, "id", ["a"], ["b"], ["c"], drop=["person_id"], quasi_identifiers=["salary"])
    roles = ["class", "identifiers", "sensitive", "insensitive", "drop", "quasi_identifiers"]
    assert [entry.role for entry in found.columns] == roles
    assert found.columns[-1].taxonomy == {"clusters": True}


def test_named_columns_must_be_there_once():
    with pytest.raises(ConfigError, match="no column 'zip' to be sensitive; it has 'a', 'b'"):
        propose([column("a"), column("b")], "a", sensitive=["zip"])
    with pytest.raises(ConfigError, match=r"'a' is given two roles \(class, sensitive\)"):
        propose([column("a"), column("b")], "a", sensitive=["a"])


@pytest.mark.slow
def test_reasons_and_comments_hold_no_values():
    select = """
        SELECT 'Zelda' || i AS who, {'Zelda': i} AS nested, ['Zelda'] AS list, 'Zelda' AS constant,
            'zelda' || (i % 3) || '@example.org' AS mail, i % 2 AS class, 'Zelda'::ENUM ('Zelda', 'Link') AS kind
        FROM range(100) t(i)"""
    text = render_config(propose(profiled(select), "class"), "x.parquet")
    assert not re.search("zelda|link|example", text, flags=re.IGNORECASE)


# -- the config --------------------------------------------------------------------------------------------------------

ODD_NAMES = [
    *("yes", "No", "null", "~", "true", "1", "1.0", ".5", "0x1F", "1_000", "2020-01-01", "<<", "=", "select", "a.b"),
    *('say "hi"', "it's", "a: b", "a #b", "# a", "- a", "? a", "{a}", "[a]", "&a", "*a", "!a", "%a", "@a", "`a`"),
    *("|", ">", "a\nb", "a\tb", " a ", "\\", "\\n", "年齢", "naïve", "\u200b", "\x7f\x85\u2028\ufeff\ue000"),
    *("x" * 200, "😀" * 200, "\U000e0001" * 200),
]


def read_back(tmp_path, text):
    path = tmp_path / "anonduck.yml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["class", "identifiers", "drop", "sensitive", "insensitive", "quasi_identifiers"])
def test_any_column_name_reads_back(tmp_path, role):
    for name in ODD_NAMES:
        roles = {} if role == "class" else {role: [name]}
        profiles = [column(name), column("the class"), column("other")]
        config = read_back(
            tmp_path,
            render_config(
                propose(profiles, name if role == "class" else "the class", **roles),
                f"{name[:50]}/*.csv",  # no file has a longer name
                types={name: "VARCHAR"},
            ),
        )
        named = config.named_roles()
        assert named[role] == ([name, "other"] if role == "quasi_identifiers" else [name])
        assert (config.source, config.types) == (f"{name[:50]}/*.csv", {name: "VARCHAR"})
        assert set(config.taxonomies) == set(named["quasi_identifiers"])


@examples(50)
@given(k=st.integers(1, 1 << 40), suppression=st.floats(1e-9, 0.999))
def test_each_number_of_a_requirement_reads_back_whole(k, suppression):
    proposal = propose([column("the class"), column("other")], "the class")
    text = render_config(proposal, "x.csv", requirement={"k": k, "suppression": suppression})
    assert yaml.safe_load(text)["requirement"] == {"k": k, "suppression": suppression}


@examples(200)
@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1))
def test_any_text_reads_back_from_yaml(name):
    text = render_config(
        propose([column("the class"), column(name, type="INTEGER")], "the class", insensitive=[]), name
    )
    data = yaml.safe_load(text)
    assert data["source"] == name
    assert data["identifiers"] + data["quasi_identifiers"] == [name]


def test_the_config_says_what_was_proposed(tmp_path):
    profiles = [
        column("person_id", type="BIGINT", rows=1000, distinct=1000),
        column("age", type="BIGINT", rows=1000, nulls=12, distinct=74),
        column("job", rows=1000),
        column("churned", type="BOOLEAN", rows=1000, distinct=2),
    ]
    text = render_config(
        propose(profiles, "churned"),
        "exports/people.csv",
        where="country = 'IT'",
        types={"job": "VARCHAR"},
        csv={"delim": ";", "header": True, "nullstr": ["", "NA"], "skip": 2},
    )
    assert (
        text
        == """\
# yaml-language-server: $schema=anonduck.schema.json
# Proposed by `anonduck init` from the columns of the source. Read and edit it, then run `anonduck discover`.

source: exports/people.csv
where: "country = 'IT'"
types:
  job: VARCHAR
csv:
  delim: ";"
  header: true
  nullstr: ["", NA]
  skip: 2
# what the columns hold as they were read; `run` refuses an export in which one holds something else, as where a text
# stands among numbers
expected_types:
  churned: BOOLEAN
  age: BIGINT
  job: VARCHAR

# the column that models will predict; kept as it is
# it is taken for sensitive: `run` chooses nothing by which the class of people in the release is shown to be guessed
# more than 0.1 oftener than that of others. `requirement: {inference_gain: 0.1}` holds for the measured figure,
# whatever its error; 1 allows any
class: churned  # BOOLEAN, 2 distinct values, no NULL

# left out of every release
identifiers:
  - person_id  # BIGINT, 1,000 distinct values, no NULL: looks like an identifier: each value is unique

# left out of every release too, as nothing is lost without them, or too much is told with them
drop: []

# kept as they are; nobody should be able to infer a person's value
sensitive: []

# kept as they are
insensitive: []

# generalized, because together they may reveal who a record is about
quasi_identifiers:
  - age  # BIGINT, 74 distinct values, 12 NULL: ordered values, generalized to intervals
  - job  # VARCHAR, 7 distinct values, no NULL: categories, clustered by co-occurrence

# how to generalize each quasi-identifier
taxonomies:
  age: {intervals: 5}
  job: {clusters: true}

# values that a later export adds become the root label, and are counted, until `anonduck taxonomy build COLUMN
# --replace` places them; `refuse` ends a run that meets them
unmapped: root

# what a release must meet
requirement: {k: 5}

# what `run` chooses among: rules show a column at one level in all records, other recodings keep more detail at the
# same k. It takes the one that keeps most detail, of those whose expected ROC AUC is within 0.01 or one paired error of
# the best; `methods: [rules]` looks at rules alone
methods: [rules, mondrian, "mondrian:splits=entropy"]
"""
    )
    config = read_back(tmp_path, text)
    assert (config.identifiers, config.quasi_identifiers) == (["person_id"], ["age", "job"])
    assert (config.where, config.csv.nullstr, config.csv.skip) == ("country = 'IT'", ["", "NA"], 2)
    assert (config.taxonomies["age"].intervals, config.taxonomies["job"].clusters) == (5, True)


def _export(path, jobs):
    rows = [f"{job},{18 + n % 40},{'yes' if n * n % 7 > 3 else 'no'}" for n, job in enumerate(jobs)]
    path.write_text("\n".join(["job,age,bought", *rows]) + "\n")


def test_a_proposed_run_goes_on_where_a_later_export_has_new_values(tmp_path):
    jobs = [("nurse", "cook", "clerk", "driver")[n * n % 11 % 4] for n in range(160)]
    _export(tmp_path / "people.csv", jobs)
    path = tmp_path / "anonduck.yml"
    initialize(path, "people.csv", "bought", here=tmp_path)
    project = Project(path)
    project.anonymize("mondrian", tmp_path / "first.csv")
    _export(tmp_path / "people.csv", ["pilot"] * 6 + jobs[6:])
    later = Project(path).anonymize("mondrian", tmp_path / "later.csv")
    assert later.owner["unmapped"] == {"job": {"values": 1, "records": 6}}
    assert "pilot" not in (tmp_path / "later.csv").read_text()


def test_numbers_alone_need_no_word_on_later_values():
    proposal = propose([column("age", type="BIGINT", rows=1000, distinct=74), column("c")], "c")
    assert "unmapped" not in render_config(proposal, "people.csv")
