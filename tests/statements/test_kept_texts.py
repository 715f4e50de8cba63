"""Bound texts that are kept for processes to come: the same as those that are made, and never needed."""

import json
import subprocess
import sys

import pytest
import sqlglot

from anonduck.statements import (
    Statement,
    builder_audit,
    builder_grouped,
    builder_kept,
    builder_privacy,
    builder_source,
    kept_texts,
    load,
    statement,
    template,
)
from anonduck.statements.column_readings import ColumnReading
from anonduck.statements.pipeline import (
    builder_classes,
    builder_floors,
    builder_frequency,
    builder_methods,
    builder_release,
    builder_released,
    builder_taxonomy,
)
from anonduck.statements.pipeline.builder_release import NodeColumn, RuleColumn
from anonduck.statements.template import BindingError

QUERY = "measures/rule.sql"
BINDS = {"columns": {"attributes": ["age", 'an "odd" name']}, "table": {"coded": "frequencies"}}
ASK = f"""
import sys
from anonduck.statements import statement
print(statement({QUERY!r}, **{BINDS!r}).sql)
print("sqlglot" in sys.modules)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder of caches, and what this process read and made forgotten, before and after."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(kept_texts, "_NEW", {})
    forget()
    yield tmp_path / "caches" / "anonduck"
    forget()


def forget():
    kept_texts._read_all.cache_clear()
    load.cache_clear()


def file_in(place):
    (file,) = place.glob("*")
    return file


def test_a_text_is_kept_without_names_and_read_again(place, monkeypatch):
    made = statement(QUERY, **BINDS).sql
    kept_texts.write()
    assert file_in(place).stat().st_mode & 0o777 == 0o600
    assert "odd" not in file_in(place).read_text()
    forget()
    monkeypatch.setattr(template, "_skeleton", None)  # it would be called to make one
    assert statement(QUERY, **BINDS).sql == made
    with pytest.raises(TypeError):
        statement(QUERY, **BINDS | {"columns": {"attributes": []}})


def test_a_text_of_another_query_is_not_taken(place, monkeypatch):
    made = statement(QUERY, **BINDS).sql
    kept_texts.write()
    forget()
    digest = kept_texts.digest
    monkeypatch.setattr(template, "digest", lambda text: digest(text + b"-- changed"))
    monkeypatch.setattr(kept_texts, "kept", kept_texts.kept)
    assert statement(QUERY, **BINDS).sql == made
    assert kept_texts._NEW


def test_what_two_processes_made_is_kept_of_both(place):
    statement(QUERY, **BINDS)
    kept_texts.write()
    forget()
    statement("database/count.sql", table={"counted": "t"})
    kept_texts.write()
    assert len(json.loads(file_in(place).read_text())) == 2


@pytest.mark.parametrize("text", ["", "{", "[1]", '"text"'])
def test_a_file_that_cannot_be_read_is_made_anew(place, text):
    statement(QUERY, **BINDS)
    kept_texts.write()
    file_in(place).write_text(text)
    forget()
    statement(QUERY, **BINDS)
    kept_texts.write()
    assert len(json.loads(file_in(place).read_text())) == 1


def test_where_nothing_can_be_written_each_process_makes_its_own(place):
    place.parent.write_text("a file where the folder would be")
    made = statement(QUERY, **BINDS).sql
    kept_texts.write()
    forget()
    assert statement(QUERY, **BINDS).sql == made


def test_a_process_that_finds_its_texts_does_not_load_sqlglot(tmp_path):
    """Each process writes at its end, and nothing where pip would leave it behind: beside its compiled files."""
    environment = {"XDG_CACHE_HOME": str(tmp_path / "caches"), "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    done = [subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
            for _ in range(2)]  # fmt: skip
    (first, loaded), (second, again) = (one.stdout.rstrip().rsplit("\n", 1) for one in done)
    assert first == second
    assert (loaded, again) == ("True", "False")
    assert list((tmp_path / "caches").rglob("queries-*.json"))
    assert {path.suffix for path in (tmp_path / "compiled").rglob("*") if path.is_file()} == {".pyc"}


ODD = ["it's", 'an "odd"', "a\nb\\n", "$x", "quasi"]


def csv(path, delim):
    """A reader of a file; what it reads is a name of a column and its type, too."""
    return builder_source.reader("read_csv", path, {"header": True, "delim": delim, "types": {delim: "VARCHAR"}})


def selected(path, one_zero):
    return builder_source.source_select(csv(path, ";"), None, ColumnReading(one_zero=one_zero))


def shown(name, label):
    return [
        RuleColumn(name, 1, 2, label, looked_up=True, unmapped=True, text=True),
        RuleColumn(f"{name}2", 2, 2, label),
        RuleColumn(f"{name}3", 0, 2, label, floating=True),
        RuleColumn(f"{name}4", None),
    ]


def expanded(names):
    return builder_release.expanded_rows([RuleColumn(name, 0) for name in names], "t")


BUILT = [
    (builder_audit._release_from_csv, (ODD[0], ODD, ";", "utf-8", 0), (ODD[1], ODD[::-1], "\t", "latin-1", 0)),
    (builder_privacy.audited_set, (ODD, ODD[:2]), (ODD[::-1], ODD[1:3])),
    (builder_privacy.audited_set, ([], ["a"], "p"), ([], ODD[:1], ODD[1])),
    (builder_kept._sizes_in_duckdb, ("t", ODD, [], None, "both"), ("t", ODD[::-1], [], None, "both")),
    *((builder_grouped.counted_texts, (ODD, name, "n"), (ODD[::-1], "b", "m")) for name in ODD),
    (builder_grouped.counted_texts, (["a"], ("s", ODD[1])), (ODD[:1], (ODD[2], "t"))),
    (builder_grouped.texts_of_lookups, (ODD, "s"), (ODD[::-1], ODD[1])),
    *((builder_taxonomy.imported_taxonomy, (name, 2, "by_value"), ("b", 2, "by_value")) for name in ODD),
    (
        builder_taxonomy.node_leaves,
        (ODD, [*ODD[:4], None], [1, 2, 3, 1, 2], [True, False, False, True, False], "f"),
        (ODD[::-1], [*ODD[1:], None], [1, 2, 3, 1, 2], [True, False, False, True, False], ODD[1]),
    ),
    (builder_taxonomy.node_pieces, (ODD[:2], [2, 1]), (ODD[3:], [2, 1])),
    (builder_source._sniffed, (csv(ODD[0], ODD[1]),), (csv(ODD[1], ODD[2]),)),
    (builder_source.relation_of, (csv(ODD[0], ";"), 1), (csv("", ODD[3]), 1)),
    (builder_source.source_view, (selected("p", ODD),), (selected("q'", ODD[::-1]),)),
    (builder_source._text_of, (selected(ODD[0], []),), (selected(ODD[3], []),)),
    (builder_frequency.frequency_set, ("t", ODD), ("t", ODD[::-1])),
    (builder_frequency.counted_again, ("t", ODD, "h"), ("t", ODD[::-1], "h")),
    (builder_frequency.coded_frequency_set, ("t", {ODD[0]: 2, ODD[1]: 1}, "c"), ("t", {ODD[3]: 2, "b": 1}, ODD[2])),
    (builder_floors.first_repeats, (ODD, 9), (ODD[::-1], 9)),
    *((builder_release.grouped_release, (shown(name, "b"), "t"), (shown("b", name), "t")) for name in ODD),
    (builder_release._class_sizes, (ODD, "t"), (ODD[::-1], "t")),
    (builder_release._labels_used, (ODD[0], "t"), (ODD[1], "t")),
    (builder_release.copy_to, (expanded(ODD), "p", "csv"), (expanded(ODD[::-1]), ODD[0], "csv")),
    (builder_methods.combined_set, (ODD[:3], ODD[3]), (ODD[1:4], ODD[4])),
    (builder_methods.found_set, ("t", [*ODD, ODD[0]], ODD[1:2]), ("t", [*ODD[::-1], ODD[-1]], ODD[3:4])),
    (builder_classes.assigned_nodes, (ODD,), (ODD[::-1],)),
    (builder_privacy.kept_rows, ("t", ODD, "k"), ("t", ODD[::-1], "k")),
    (builder_privacy.other_rows, ("t", ODD, "f", "k"), ("t", ODD[::-1], "f", "k")),
    (builder_released.staying_levels, (shown(ODD[0], "b"), "g", "t"), (shown("b", ODD[0]), "g", "t")),
    *((builder_taxonomy.level_counts, (name, 3), ("b", 3)) for name in ODD),
    *((builder_taxonomy.labels_like_values, (name, 2), ("b", 2)) for name in ODD),
]


def parsed(made):
    """The tree of a text: where its lines end follows from how long names are."""
    return sqlglot.parse_one(made.sql, read="duckdb")


def test_names_that_are_equal_stay_so(place):
    build = template.kept_by_shape()(lambda names: Statement("test", f"SELECT {', '.join(quoted(names))}"))
    quoted = lambda names: [f'"{name}"' for name in dict.fromkeys(names)]  # noqa: E731 - as in the text
    for names in (["a", "b"], ["a", "a"], ["b", "b"], ["a", "b", "a"]):
        assert build(names).sql == f"SELECT {', '.join(quoted(names))}"


def test_a_name_that_is_not_written_as_a_name_is_refused(place):
    build = template.kept_by_shape()(lambda name: Statement("test", f'SELECT 1 AS "before {name}"'))
    with pytest.raises(BindingError, match="in another way than as a name"):
        build("b")


def nodes(names):
    return [*map(NodeColumn, names[1:]), NodeColumn(names[0], values=True), RuleColumn("kept", None, floating=True)]


KEYWORDS = [
    (builder_classes.class_nodes, (ODD[0], 2), ("b", 2), [{"floating": True}] * 2),
    (builder_classes.class_nodes, (ODD[1], 3), ("b", 3), [{"floating": False, "raised": True}] * 2),
    (builder_classes.grouped_classes, (nodes(ODD), "t"), (nodes(ODD[::-1]), "t"), [{"held": "h"}] * 2),
    *(
        (
            builder_released.released_cells,
            (ODD[:2], ODD[2]),
            (ODD[1:3], ODD[3]),
            [{"shown": shown_by(ODD[:2]), "some": True}, {"shown": shown_by(ODD[1:3]), "some": True}],
        )
        for shown_by in (
            lambda names: builder_released.shown_by_classes(names, "r"),
            lambda names: builder_released.shown_by_levels(names, shown("c", "l")[:2], dict.fromkeys(names, 2), "r"),
            lambda names: builder_released.shown_by_levels(
                names, [RuleColumn(names[1], 1, 2)], {names[0]: 3, names[1]: 2}, "r"
            ),
        )
    ),
]


@pytest.mark.parametrize(("build", "first", "second", "keywords"), KEYWORDS)
def test_a_text_is_kept_by_its_keywords_too(place, build, first, second, keywords, monkeypatch):
    given = list(zip((first, second), keywords, strict=True))
    for arguments, named in given:
        kept, built = build(*arguments, **named), build.__wrapped__(*arguments, **named)
        assert (kept.name, kept.parameters, parsed(kept)) == (built.name, built.parameters, parsed(built))
    made = []
    monkeypatch.setattr(template, "_cut", made.append)
    build(*second, **keywords[1])
    assert made == []


@pytest.mark.parametrize(("build", "first", "second"), BUILT)
def test_a_built_text_is_kept_by_its_shape_and_is_the_one_that_would_be_built(place, build, first, second, monkeypatch):
    """The second call differs in names alone, so that nothing is built for it."""
    for given in (first, second):
        kept, built = build(*given), build.__wrapped__(*given)
        assert (kept.name, kept.parameters) == (built.name, built.parameters)
        assert parsed(kept) == parsed(built)
    built = []
    monkeypatch.setattr(template, "_cut", built.append)
    build(*second)
    assert built == []
