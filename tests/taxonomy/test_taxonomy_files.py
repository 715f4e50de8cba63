"""Hierarchy files: every format that is read, every fault that is refused, and what is written."""

import csv
import io
import json
import stat
import string
from itertools import pairwise
from pathlib import Path

import pytest
from asking import ask, quoted
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.database.connection import Database
from anonduck.errors import TaxonomyError
from anonduck.statements import Statement
from anonduck.taxonomy.catalog import entries, register, value_type
from anonduck.taxonomy.files.export import export_taxonomy
from anonduck.taxonomy.files.files import import_blocks, import_file, import_plain, read_file, split_blocks
from anonduck.taxonomy.files.leaves import import_hierarchies, import_hierarchy
from anonduck.taxonomy.files.text_lines import find_separator, read_lines

TABLES = Path(__file__).parents[1] / "tables"
JOBS = ["nurse", "doctor", "teacher", None]
JOB_PATHS = [
    ("nurse", "health", "*", 1, 1, 1),
    ("doctor", "health", "*", 2, 1, 1),
    ("teacher", "school", "*", 3, 2, 1),
]


def frequency_set(database, kind, values, column="x"):
    """A frequency set of one column: each value in one record."""
    database.run(Statement("drop", "DROP TABLE IF EXISTS frequency_set"))
    name = quoted(f"{column}@value")
    database.run(Statement("make", f'CREATE TABLE frequency_set ({name} {kind}, "#records" BIGINT)'))
    for value in values:
        database.run(
            Statement("fill", f"INSERT INTO frequency_set VALUES ($value::{kind}, 1)", frozenset({"value"})),
            {"value": value},
        )


def taxonomy(database, column="x"):
    return ask(database, f"SELECT * FROM taxonomy.{quoted(column)} ORDER BY code_0")


def written(folder, text, name="h.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


# -- formats -----------------------------------------------------------------------------------------------------------


def test_a_plain_file_becomes_a_table_in_the_order_of_the_file(database):
    frequency_set(database, "VARCHAR", JOBS)
    made = import_file(database, "x", TaxonomyOptions(file="hierarchy_plain.csv"), TABLES)
    assert taxonomy(database) == JOB_PATHS
    assert (made.kind, made.ordered, made.root, made.leaves, made.nodes) == ("file", False, 2, 3, (3, 2, 1))
    assert json.loads(entries(database)["x"].options) == {"file": "hierarchy_plain.csv", "encoding": "utf-8"}
    assert ask(database, "SELECT column_name FROM (DESCRIBE taxonomy.x)") == [
        ("value",), ("level_1",), ("level_2",), ("code_0",), ("code_1",), ("code_2",)
    ]  # fmt: skip


def test_bom_header_quotes_and_crlf(database):
    frequency_set(database, "VARCHAR", JOBS)
    said = []
    import_plain(database, TABLES / "hierarchy_header.csv", "x", announce=said.append)
    assert [row[:3] for row in taxonomy(database)] == [
        ("nurse", "health, care", "*"),
        ("doctor", "health, care", "*"),
        ("teacher", 'the "school"', "*"),
    ]
    assert len(said) == 1
    assert "line 1: read as the header" in said[0]


def test_a_separator_of_several_characters(database):
    frequency_set(database, "INTEGER", [1, 3, None])
    import_plain(database, TABLES / "hierarchy_several.txt", "x")
    assert taxonomy(database) == [
        (1, "[1, 3)", "*", 1, 1, 1),
        (2, "[1, 3)", "*", 2, 1, 1),
        (3, "[3, 5)", "*", 3, 2, 1),
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a;b;*", "c;d;*"], ";"),
        (["a,b,*", "c,d,*"], ","),
        (["a, b, *", "c, d, *"], ", "),
        (["17,[15-20],[15-25]", "18,[15-20],[15-25]"], ","),
        (["0#0-0,01#0-1,3", "0,04#0-0,01#0-1,3"], "#"),
        (["0,5;0,5-1,0;all", "1,5;1,5-2,0;all"], ";"),
        (["a\tb\t*", "c\td\t*"], "\t"),
        (["a|b|*", "c|d|*"], "|"),
        (["a||b||*", "c||d||*"], "||"),
        (["a -> b -> *", "c -> d -> *"], " -> "),
        (['"a;1";b;*', '"c;2;3";d;*'], ";"),
        (["10:30,[10:00-11:00),*", "11:30,[11:00-12:00),*"], ","),
        (["value;group;root", "a;b;*", "c;d;*"], ";"),
        (["a", "b"], None),
    ],
)
def test_the_separator_is_found(lines, expected):
    assert find_separator(lines) == expected


def test_a_block_with_decimal_commas_repeats_and_trailing_empty_fields(database):
    frequency_set(database, "DOUBLE", [0.0, 0.000044, 0.5, None])
    said = []
    options = TaxonomyOptions(file="hierarchy_blocks.txt", block="price")
    made = import_file(database, "x", options, TABLES, announce=said.append)
    assert taxonomy(database) == [
        (0.0, "low", "any", "all", 1, 1, 1, 1),
        (1e-5, "low", "any", "all", 2, 1, 1, 1),
        (0.000044, "low", "any", "all", 3, 1, 1, 1),
        (0.5, "high", "any", "all", 4, 2, 1, 1),
    ]
    assert made.ordered
    assert len(said) == 1
    assert "1 of 6 leaves (the first on line 8)" in said[0]
    assert ask(database, "SELECT count(*) FROM taxonomy.x WHERE value = 0.000044::DOUBLE") == [(1,)]


@pytest.mark.slow
@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("INTEGER", "2,0", 2),
        ("INTEGER", "2.0", 2),
        ("BIGINT", "-8019", -8019),
        ("BIGINT", "9007199254740993", 9007199254740993),
        ("HUGEINT", "170141183460469231731687303715884105727", 170141183460469231731687303715884105727),
        ("INTEGER", "2,5", None),
        ("INTEGER", "1e-5", None),
        ("INTEGER", "", None),
        ("INTEGER", "two", None),
        ("DOUBLE", "1e-5", 0.00001),
        ("DOUBLE", "0,000044", 0.000044),
        ("DOUBLE", "1.234,5", None),
        ("DECIMAL(5, 2)", "1,25", "1.25"),
        ("DECIMAL(5, 2)", "1,255", None),
        ("DATE", "2024-02-29", "2024-02-29"),
        ("DATE", "2024-02-29 12:00", None),
        ("DATE", "2023-02-29", None),
        ("TIMESTAMP", "2024-02-29 12:00:00", "2024-02-29 12:00:00"),
        ("BOOLEAN", "YES", True),
        ("BOOLEAN", "f", False),
        ("BOOLEAN", "0", False),
        ("BOOLEAN", "maybe", None),
        ("VARCHAR", " a", " a"),
        ("VARCHAR", "02,0", "02,0"),
        ("VARCHAR", "", ""),
        ("VARCHAR", "'; DROP TABLE frequency_set; --", "'; DROP TABLE frequency_set; --"),
    ],
)
def test_leaves_are_read_as_values_of_the_columns_type(database, tmp_path, kind, text, expected):
    known = {
        "VARCHAR": "k",
        "BOOLEAN": str(expected is not True).lower(),
        "DATE": "2000-01-01",
        "TIMESTAMP": "2000-01-01",
    }.get(kind, "7")
    frequency_set(database, kind, [known])
    path = written(tmp_path, f"{known}|g|*\n{text}|h|*\n")
    import_plain(database, path, "x", sep="|", header=False)
    found = ask(database, "SELECT value FROM taxonomy.x WHERE level_1 = 'h'")
    if expected is None:
        assert found == []
    else:
        assert ask(database, f"SELECT typeof(value) = '{kind.replace(' ', '')}' FROM taxonomy.x LIMIT 1") == [(True,)]
        (value,) = found[0]
        assert str(value) == str(expected)


def test_a_value_written_twice_is_one_leaf(database, tmp_path):
    frequency_set(database, "INTEGER", [2])
    import_plain(database, written(tmp_path, "2;g;*\n2,0;g;*\n3;g;*\n"), "x")
    assert [row[0] for row in taxonomy(database)] == [2, 3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("name;group;top\na;g;*\nb;g;*\n", ["a", "b"]),  # a header
        ("a;g;top\nb;g;*\n", "two roots"),  # its first field is a source value: a leaf under another root
        ("name;g;*\na;g;*\n", ["name", "a"]),  # ends in the root: a leaf that the source does not hold
        ("name;g;*\n", ["name"]),  # one line is a leaf
    ],
)
def test_only_a_header_is_taken_for_one(database, tmp_path, text, leaves):
    frequency_set(database, "VARCHAR", ["a", "b"])
    path = written(tmp_path, text)
    if isinstance(leaves, str):
        with pytest.raises(TaxonomyError, match=leaves):
            import_plain(database, path, "x")
    else:
        import_plain(database, path, "x")
        assert [row[0] for row in taxonomy(database)] == leaves


def several(database, folder, texts):
    """Files of columns of whole numbers and texts by turns, read."""
    types = [("INTEGER", "1"), ("VARCHAR", "'a'")] * len(texts)
    held = [f"{value}::{kind} AS {quoted(f'{name}@value')}" for name, (kind, value) in zip(texts, types, strict=False)]
    make = f'CREATE OR REPLACE TABLE frequency_set AS SELECT {", ".join(held)}, 1::BIGINT AS "#records"'
    database.run(Statement("make", make))
    for name, text in texts.items():
        options = TaxonomyOptions(file=written(folder, text, f"{name}.csv").name)
        yield read_file(database, name, options, folder, kind=value_type(database, name), noted=None)


def test_files_that_are_imported_together_become_what_each_becomes_alone(database, tmp_path):
    texts = {
        "n": "3;high;*\n1;low;*\nx;low;*\n2;low;*\n",  # in order, with a stranger
        "t": "name,group,top\nb,g,*\na,h,*\n",  # with a header
        "m": "\n3;odd;*\n1;odd;*\n2,0;even;*\n2;even;*\n",  # in no order, with a blank line and a value twice
        "u": "b->h->i->*\nc->h->i->*\na->g->i->*\n",  # another separator, and one level more
    }
    files = list(several(database, tmp_path, texts))
    read = lambda name: [  # noqa: E731 - read twice
        ask(database, f'SELECT * FROM {schema}."{name}" ORDER BY value') for schema in ("taxonomy", "taxonomy_lines")
    ]
    said, alone = [], []
    together = import_hierarchies(database, files, announce=said.append)
    tables = {name: read(name) for name in texts}
    nodes = ask(database, "SELECT * FROM taxonomy_nodes ORDER BY ALL")
    for file in files:
        assert import_hierarchy(database, file, announce=alone.append) == together[file.column]
        assert read(file.column) == tables[file.column]
    assert ask(database, "SELECT * FROM taxonomy_nodes ORDER BY ALL") == nodes
    assert said == alone
    assert len(said) == 2
    assert [together[name].ordered for name in texts] == [True, False, False, False]
    assert tables["m"][1] == [(1, 3), (2, 4), (3, 2)]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("a;g;*\nb;g\nc;g;*\n", "u.csv, line 2: 2 fields"),
        ("a;g;*\nb;g;+\n", "u.csv, lines 1 and 2 end in two roots"),
        ("a;g;x;*\nb;g;y;*\n", "u.csv, lines 1 and 2 give one node of level 1 two parents"),
    ],
)
def test_a_fault_in_one_of_several_files_names_that_file(database, tmp_path, broken, words):
    files = list(several(database, tmp_path, {"n": "1;*\n", "t": "a;g;*\nb;h;*\n", "m": "2;*\n", "u": broken}))
    with pytest.raises(TaxonomyError, match=words):
        import_hierarchies(database, files)
    assert entries(database) == {}


def test_header_can_be_said(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a"])
    path = written(tmp_path, "a;b;*\nc;d;*\n")
    import_plain(database, path, "x", header=True)
    assert [row[0] for row in taxonomy(database)] == ["c"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("latin-1", "latin-1"),
        ("utf-16", "utf-8"),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "cp1252"),
        ("cp1252", "utf-8"),
    ],
)
def test_encodings(database, tmp_path, encoding, said):
    frequency_set(database, "VARCHAR", ["Zürich"])
    import_plain(database, written(tmp_path, "Zürich;Süden;*\nBern;Süden;*\n", encoding=encoding), "x", encoding=said)
    assert [row[:2] for row in taxonomy(database)] == [("Zürich", "Süden"), ("Bern", "Süden")]


def test_numbers_in_contiguous_nodes_are_ordered_and_others_are_not(database, tmp_path):
    frequency_set(database, "INTEGER", [1, 2, 3])
    assert import_plain(database, written(tmp_path, "3;high;*\n1;low;*\n2;low;*\n"), "x").ordered
    assert taxonomy(database) == [(1, "low", "*", 1, 1, 1), (2, "low", "*", 2, 1, 1), (3, "high", "*", 3, 2, 1)]
    assert not import_plain(database, written(tmp_path, "3;odd;*\n1;odd;*\n2;even;*\n"), "x").ordered
    assert taxonomy(database) == [(3, "odd", "*", 1, 1, 1), (1, "odd", "*", 2, 1, 1), (2, "even", "*", 3, 2, 1)]


def test_odd_column_names(database, tmp_path):
    name = 'select "a.b" ' + "é" * 150
    frequency_set(database, "INTEGER", [1], column=name)
    import_plain(database, written(tmp_path, "1;*\n"), name)
    assert taxonomy(database, name) == [(1, "*", 1, 1)]
    assert value_type(database, name) == "INTEGER"


def test_an_import_replaces_an_interval_taxonomy_with_its_bounds(database, tmp_path):
    frequency_set(database, "INTEGER", [1])
    path = written(tmp_path, "1;*\n")
    import_plain(database, path, "x")
    ask(database, "CREATE TABLE bounds.x (code_1 INTEGER, lower INTEGER)")
    register(database, "x", kind="intervals", ordered=True, origin="test", options={})
    import_plain(database, path, "x")
    assert entries(database)["x"].taxonomy.kind == "file"
    assert ask(database, "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'bounds'") == [(0,)]


@pytest.mark.slow
def test_an_import_is_durable(tmp_path):
    database = Database(tmp_path / "d.duckdb")
    frequency_set(database, "VARCHAR", JOBS)
    import_blocks(database, TABLES / "hierarchy_blocks.txt", {"Job": "x"}, ["x"])
    database.close()
    reopened = Database(tmp_path / "d.duckdb")
    entry = entries(reopened)["x"]
    assert entry.taxonomy.kind == "file"
    assert json.loads(entry.options) == {
        "file": str(TABLES / "hierarchy_blocks.txt"),
        "block": "Job",
        "encoding": "utf-8",
    }
    assert [row[0] for row in taxonomy(reopened)] == ["nurse", "doctor", "teacher"]
    reopened.close()


# -- blocks ------------------------------------------------------------------------------------------------------------


def test_blocks_find_their_columns(database):
    ask(database, 'CREATE TABLE frequency_set ("job@value" VARCHAR, "cost@value" DOUBLE, "#records" BIGINT)')
    ask(database, "INSERT INTO frequency_set VALUES ('nurse', 0.5, 1)")
    said = []
    made = import_blocks(
        database, TABLES / "hierarchy_blocks.txt", {"price": "cost"}, ["job", "cost"], announce=said.append
    )
    assert set(made) == {"job", "cost"}
    assert any("1 blocks belong to no column" in words and "unused" in words for words in said)
    path = TABLES / "hierarchy_blocks.txt"
    assert list(split_blocks(path, read_lines(path, "utf-8"))) == ["price", "Job", "unused"]


def test_a_block_of_the_exact_name_goes_before_one_of_another_case(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a"], column="job")
    import_blocks(database, written(tmp_path, "%\nJOB\na;wrong\n%\njob\na;right\n"), None, ["job"])
    assert taxonomy(database, "job") == [("a", "right", 1, 1)]


@pytest.mark.parametrize(
    ("text", "mapping", "words"),
    [
        ("%\nA\na;*\n", {"B": "x"}, r"no block 'B'; its blocks are A"),
        ("%\nA\na;*\n", {"A": "y"}, r"mapped to 'y', which is none of x"),
        ("%\nA\na;*\n%\nB\na;*\n", {"A": "x", "B": "x"}, r"two blocks of .* one column"),
        ("%\nA\na;*\n%\nA\na;*\n", {}, r"line 5: a second block 'A'"),
        ("%\n", {}, r"line 1: a block without a name"),
        ("a;*\n", {}, r"line 1: not a file of blocks"),
        ("%\nx\n", {}, r"block x has only one level"),
    ],
)
def test_blocks_that_are_refused(database, tmp_path, text, mapping, words):
    frequency_set(database, "VARCHAR", ["a"])
    with pytest.raises(TaxonomyError, match=words):
        import_blocks(database, written(tmp_path, text), mapping, ["x"])


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"is empty"),
        ("\n  \n", r"is empty"),
        ("a\nb\n", r"only one level"),
        ("a;*\nb;g;*\nc;g;*\n", r"h.csv, line 1: 2 fields, and most lines have 3.*header: true"),
        ("a;g;*\nb;g;*\nc;*\n", r"h.csv, line 3: 2 fields, and most lines have 3"),
        ("a;g;*\nb;;*\nc;g;*\n", r"h.csv, line 2: an empty label; .* none of them empty"),
        ("a;g;*\nb;g;*\na;h;*\n", r"h.csv, lines 1 and 3 give one leaf two parents"),
        ("a;g;m;*\nb;g;n;*\n", r"h.csv, lines 1 and 2 give one node of level 1 two parents at level 2"),
        ("a;g;*\nb;g;+\n", r"h.csv, lines 1 and 2 end in two roots"),
        ('a;g;*\n"b;g;*\nc;g;*\n', r"h.csv, line 2: a quoted field"),
        ("%\nA\na;*\n%\nB\na;*\n", r"several blocks; name one with `block:` \(A, B\)"),
    ],
)
def test_faulty_files_are_refused_with_the_line_and_without_values(database, tmp_path, text, words):
    frequency_set(database, "VARCHAR", ["a", "b", "c", None])
    with pytest.raises(TaxonomyError, match=words):
        import_plain(database, written(tmp_path, text), "x")
    assert "x" not in entries(database)
    leftovers = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'hierarchy%' OR schema_name = 'taxonomy'"
    assert ask(database, leftovers) == [(0,)]


def test_values_are_named_only_on_request(database, tmp_path):
    frequency_set(database, "VARCHAR", ["secret"])
    path = written(tmp_path, "secret;g;*\nsecret;h;*\n")
    with pytest.raises(TaxonomyError) as hidden:
        import_plain(database, path, "x")
    with pytest.raises(TaxonomyError) as shown:
        import_plain(database, path, "x", show_values=True)
    assert "secret" not in str(hidden.value)
    assert "secret" in str(shown.value)


def test_a_failed_import_leaves_the_old_taxonomy(database, tmp_path):
    frequency_set(database, "VARCHAR", JOBS)
    import_plain(database, TABLES / "hierarchy_plain.csv", "x")
    with pytest.raises(TaxonomyError):
        import_plain(database, written(tmp_path, "nurse;g;*\ndoctor;g;+\n"), "x")
    assert taxonomy(database) == JOB_PATHS


def test_leaves_of_another_type_are_refused(database, tmp_path):
    frequency_set(database, "INTEGER", [1])
    with pytest.raises(TaxonomyError, match=r"3 of 3 leaves .* not values of column x, whose type is INTEGER"):
        import_plain(database, TABLES / "hierarchy_plain.csv", "x", header=False)


def test_unreadable_files(database, tmp_path):
    frequency_set(database, "VARCHAR", ["a"])
    with pytest.raises(TaxonomyError, match="there is no taxonomy file"):
        import_plain(database, tmp_path / "none.csv", "x")
    with pytest.raises(TaxonomyError, match="is a directory"):
        import_plain(database, tmp_path, "x")
    with pytest.raises(TaxonomyError, match="is not UTF-8, UTF-16 or Windows-1252; name its encoding, such as"):
        import_plain(database, written(tmp_path, "a;g\xfc;*\n", encoding="cp850"), "x")
    latin = written(tmp_path, "a;g;*\nb;g\xfc;*\n", encoding="latin-1")
    with pytest.raises(TaxonomyError, match="no encoding 'klingon'"):
        import_plain(database, latin, "x", encoding="klingon")
    with pytest.raises(TaxonomyError, match="is not UTF-16, as which it is to be read"):
        import_plain(database, latin, "x", encoding="utf-16")
    with pytest.raises(TaxonomyError, match="separator is empty"):
        import_plain(database, latin, "x", sep="", encoding="latin-1")


def test_a_block_or_column_that_is_not_there(database):
    frequency_set(database, "VARCHAR", ["a"])
    with pytest.raises(TaxonomyError, match=r"no block 'job'; its blocks are price, Job, unused"):
        import_plain(database, TABLES / "hierarchy_blocks.txt", "x", block="job")
    with pytest.raises(TaxonomyError, match=r"no quasi-identifier 'y' .* there are x"):
        import_plain(database, TABLES / "hierarchy_plain.csv", "y")


# -- export ------------------------------------------------------------------------------------------------------------


def test_export_writes_a_private_file_and_overwrites_nothing_unasked(database, tmp_path):
    frequency_set(database, "VARCHAR", JOBS)
    import_plain(database, TABLES / "hierarchy_plain.csv", "x")
    target = tmp_path / "out.csv"
    export_taxonomy(database, "x", target)
    assert target.read_text() == (TABLES / "hierarchy_plain.csv").read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(TaxonomyError, match="exists"):
        export_taxonomy(database, "x", target, sep=",")
    export_taxonomy(database, "x", target, sep=",", header=True, overwrite=True)
    assert target.read_text().splitlines()[:2] == ["value,level_1,level_2", "nurse,health,*"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_export_that_cannot_be(database, tmp_path):
    frequency_set(database, "VARCHAR", JOBS)
    with pytest.raises(TaxonomyError, match="has no taxonomy"):
        export_taxonomy(database, "x", tmp_path / "out.csv")
    import_plain(database, TABLES / "hierarchy_plain.csv", "x")
    with pytest.raises(TaxonomyError, match="cannot be written"):
        export_taxonomy(database, "x", tmp_path / "no" / "out.csv")
    with pytest.raises(TaxonomyError, match="is a directory"):
        export_taxonomy(database, "x", tmp_path, overwrite=True)
    assert list(tmp_path.iterdir()) == []


texts = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00") | st.sampled_from(';,"\n\r# \t|'), max_size=6
)


@st.composite
def trees(draw):
    """Leaves with their paths: two levels under the root, nested by construction."""
    leaves = draw(st.lists(texts, min_size=1, max_size=8, unique=True))
    upper = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    names = draw(st.lists(texts.filter(bool), min_size=7, max_size=7, unique=True))
    groups = draw(st.lists(st.integers(0, 3), min_size=len(leaves), max_size=len(leaves)))
    return [(leaf, names[group], names[4 + upper[group]], "*") for leaf, group in zip(leaves, groups, strict=True)]


def numbered(rows):
    """The oracle: codes by first appearance, level by level."""
    codes = []
    for level in range(4):
        seen = {}
        codes.append([seen.setdefault(row[level], len(seen) + 1) for row in rows])
    return [(*row, *(codes[level][at] for level in range(4))) for at, row in enumerate(rows)]


@pytest.mark.slow
@examples(20)
@given(tree=trees(), sep=st.sampled_from([";", ",", "\t", "#", "|"]), header=st.booleans())
def test_export_then_import_gives_the_same_table(tmp_path_factory, tree, sep, header):
    folder = tmp_path_factory.mktemp("round")
    text = io.StringIO()
    csv.writer(text, delimiter=sep, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(tree)
    database = Database()
    frequency_set(database, "VARCHAR", [tree[0][0]])
    import_plain(database, written(folder, text.getvalue()), "x", sep=sep, header=False)
    first = taxonomy(database)
    assert first == numbered(tree)
    export_taxonomy(database, "x", folder / "out.csv", sep=sep, header=header)
    import_plain(database, folder / "out.csv", "x", sep=sep, header=header)
    assert taxonomy(database) == first
    database.close()


@pytest.mark.slow
@examples(25)
@given(
    values=st.lists(st.floats(allow_nan=False, width=32), min_size=2, max_size=8, unique=True),
    groups=st.lists(st.sampled_from(string.ascii_lowercase[:3]), min_size=8, max_size=8),
    comma=st.booleans(),
)
def test_numbers_are_ordered_just_when_their_nodes_are_ranges(tmp_path_factory, values, groups, comma):
    folder = tmp_path_factory.mktemp("order")
    rows = list(zip(values, groups, strict=False))
    lines = [f"{str(value).replace('.', ',' if comma else '.')};{group};*" for value, group in rows]
    database = Database()
    frequency_set(database, "DOUBLE", values)
    made = import_plain(database, written(folder, "\n".join(lines)), "x", sep=";", header=False)
    inorder = [group for _, group in sorted(rows)]
    runs = 1 + sum(left != right for left, right in pairwise(inorder))
    assert made.ordered == (runs == len(set(inorder)))
    assert [row[0] for row in taxonomy(database)] == (sorted(values) if made.ordered else values)
    database.close()


# -- real files --------------------------------------------------------------------------------------------------------

ADULT = {
    "Classes": "class",
    "educationNum": "education-num",
    "martialStatus": "marital-status",
    "capitalGain": "capital-gain",
    "capitalLoss": "capital-loss",
    "HoursPerWeek": "hours-per-week",
    "NativeCountry": "native-country",
}


def real_frequency_set(database, path, types=""):
    columns = [name for (name,) in ask(database, f"SELECT column_name FROM (DESCRIBE FROM read_csv('{path}'))")]
    selected = ", ".join(f"{quoted(c)} AS {quoted(c + '@value')}" for c in columns)
    source = f"read_csv('{path}', types={{{types}}})"
    ask(
        database,
        f'CREATE TABLE frequency_set AS SELECT {selected}, count(*) AS "#records" FROM {source} GROUP BY ALL',
    )
    return columns


def unknown_records(database, columns):
    """Records that hold a value which its taxonomy lacks; NULL holds none."""
    lost = " OR ".join(
        f"({name} IS NOT NULL AND {name} NOT IN (SELECT value FROM taxonomy.{quoted(column)}))"
        for column, name in ((c, quoted(c + "@value")) for c in columns)
    )
    return ask(database, f'SELECT coalesce(sum("#records"), 0) FROM frequency_set WHERE {lost}')[0][0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "file", "types"),
    [
        (
            "bank-full.csv",
            "TaxBank",
            "'default': 'VARCHAR', 'housing': 'VARCHAR', 'loan': 'VARCHAR', 'y': 'VARCHAR'",
        ),
        ("electricity.csv", "TaxElectricity", ""),
    ],
)
def test_every_value_of_bank_and_electricity_finds_its_leaf(database, data_dir, table, file, types):
    names = real_frequency_set(database, data_dir / table, types)
    said = []
    made = import_blocks(database, data_dir / "authors-taxonomies" / file, None, names, announce=said.append)
    assert (len(made), said) == (len(names), [])
    assert unknown_records(database, names) == 0
    if file == "TaxElectricity":  # whose leaves repeat
        assert made["date"].leaves == 933
        assert (made["transfer"].root, made["transfer"].ordered, made["class"].ordered) == (9, True, False)


@pytest.mark.slow
def test_adult_covers_exactly_the_complete_rows(database, data_dir):
    names = real_frequency_set(database, data_dir / "adult.csv")
    import_blocks(database, data_dir / "authors-taxonomies" / "TaxAdult", ADULT, names)
    incomplete = " OR ".join(f"{quoted(c + '@value')} IS NULL" for c in names)
    (nulls,) = ask(database, f'SELECT sum("#records") FROM frequency_set WHERE {incomplete}')[0]
    assert unknown_records(database, names) > 0
    ask(database, f"DELETE FROM frequency_set WHERE {incomplete}")
    assert ask(database, 'SELECT sum("#records") FROM frequency_set') == [(45222,)]
    assert (nulls, unknown_records(database, names)) == (48842 - 45222, 0)
    assert ask(database, "SELECT count(*) FROM taxonomy.fnlwgt") == [(26741,)]
