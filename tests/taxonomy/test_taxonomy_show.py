"""A taxonomy shown: nodes with leaves and records, the drawing, what is kept back."""

import json

import pandas as pd
import pytest
from asking import ask

from anonduck import Project
from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.taxonomy.catalog import prepare, register
from anonduck.taxonomy.files.files import import_plain
from anonduck.taxonomy.view import as_json, draw, show_taxonomy


@pytest.fixture
def jobs(database, tmp_path):
    """Three jobs, a NULL and one that the taxonomy does not know."""
    ask(database, 'CREATE TABLE frequency_set ("job@value" VARCHAR, "#records" BIGINT)')
    ask(
        database,
        "INSERT INTO frequency_set VALUES "
        "('nurse', 1200), ('doctor', 4), ('teacher', 3), ('teacher', 2), (NULL, 6), ('pilot', 1)",
    )
    path = tmp_path / "h.csv"
    path.write_text("nurse;health;*\ndoctor;health;*\nteacher;school;*\nclerk;office;*\n")
    import_plain(database, path, "job")
    return database


def rows(view):
    return [(node.level, node.code, node.parent, node.label, node.leaves, node.records) for node in view.nodes]


def test_nodes_have_leaves_and_records_and_no_values(jobs):
    view = show_taxonomy(jobs, "job")
    assert rows(view) == [
        (2, 1, None, "*", 4, 1209),
        (1, 1, 1, "health", 2, 1204),
        (1, 2, 1, "school", 1, 5),
        (1, 3, 1, "office", 1, 0),
    ]
    assert (view.null_records, view.unknown_values, view.unknown_records) == (6, 1, 1)


def test_values_show_on_request(jobs):
    view = show_taxonomy(jobs, "job", show_values=True)
    assert rows(view)[4:] == [
        (0, 1, 1, "nurse", 1, 1200),
        (0, 2, 1, "doctor", 1, 4),
        (0, 3, 2, "teacher", 1, 5),
        (0, 4, 3, "clerk", 1, 0),
    ]
    assert "nurse" not in draw(show_taxonomy(jobs, "job"), 80)
    assert "nurse" in draw(view, 80)


def test_the_tree_is_drawn_with_null_as_its_own_child(jobs):
    assert draw(show_taxonomy(jobs, "job"), 46).splitlines() == [
        "job (file, levels 0 to 2, 4 leaves)",
        "*                      4 leaves, 1,215 records",
        "├── health             2 leaves, 1,204 records",
        "├── school                   1 leaf, 5 records",
        "├── office                   1 leaf, 0 records",
        "├── NULL                             6 records",
        "└── without a leaf (values: 1)        1 record",
    ]


def test_one_level_is_a_list(jobs):
    view = show_taxonomy(jobs, "job", level=1)
    assert {node.level for node in view.nodes} == {1}
    assert draw(view, 46).splitlines()[:2] == [
        "job (file, level 1, 4 leaves)",
        "health                 2 leaves, 1,204 records",
    ]


def test_as_json(jobs):
    document = json.loads(json.dumps(as_json(show_taxonomy(jobs, "job", level=1))))
    assert document["nodes"][0] == {"level": 1, "code": 1, "parent": 1, "label": "health", "leaves": 2, "records": 1204}
    assert (document["column"], document["root"], document["nodes_per_level"]) == ("job", 2, [4, 3, 1])
    assert (document["null_records"], document["unknown_values"], document["unknown_records"]) == (6, 1, 1)


@pytest.mark.parametrize(
    ("column", "level", "words"),
    [
        ("job", 3, "has the levels 0 to 2; it has no level 3"),
        ("job", -1, "it has no level -1"),
        ("job", 0, "the source's own values; `--show-values`"),
        ("none", None, "column 'none' has no taxonomy; there are taxonomies of job"),
    ],
)
def test_what_cannot_be_shown(jobs, column, level, words):
    with pytest.raises(TaxonomyError, match=words):
        show_taxonomy(jobs, column, level=level)


CODES = ["123"] * 5 + ["129"] * 2 + ["200"] * 4 + ["777"] * 3 + ["778"] + [None] * 2


def coded(**options):
    source = pd.DataFrame({'odd "name': CODES, "answer": ["yes", "no"] * 8 + ["no"]})
    project = Project(source=source, class_="answer", requirement={"k": 5}, types={'odd "name': "VARCHAR"})
    project.build_taxonomies(['odd "name'], options=TaxonomyOptions(**options))
    return project


@pytest.mark.slow
def test_labels_computed_from_rare_values_are_kept_back():
    with coded(prefix=[3, 1]) as project:
        view = project.show_taxonomy('odd "name')
        assert [(node.level, node.label, node.records) for node in view.nodes] == [
            (3, "*", 15),
            (2, "1", 7),
            (2, "(fewer than 5 records)", 4),
            (2, "(fewer than 5 records)", 4),
            (1, "123", 5),
            (1, "(fewer than 5 records)", 2),
            (1, "(fewer than 5 records)", 4),
            (1, "(fewer than 5 records)", 3),
            (1, "(fewer than 5 records)", 1),
        ]
        told = draw(view, 80) + json.dumps(as_json(view)) + draw(project.show_taxonomy('odd "name', level=1), 80)
        assert not any(rare in told for rare in ("129", "200", "777", "778"))
        shown = project.show_taxonomy('odd "name', level=1, show_values=True)
        assert [node.label for node in shown.nodes] == ["123", "129", "200", "777", "778"]


@pytest.mark.parametrize("options", [{"mask": "right"}, {"mask": "left", "pad": "0", "length": 4}, {"prefix": [9, 2]}])
def test_no_label_that_is_shown_is_a_rare_value(options):
    with coded(**options) as project:
        named = {node.label: node.records for node in project.show_taxonomy('odd "name').nodes}
        assert all(CODES.count(label) >= 5 for label in named if label in CODES)
        assert all(records >= 5 for label, records in named.items() if not label.startswith("(fewer"))


def test_labels_that_the_owner_wrote_are_shown():
    with coded(groups={"rare": ["777", "778"], "other": ["123", "129", "200"]}) as project:
        assert [node.label for node in project.show_taxonomy('odd "name', level=1).nodes] == ["rare", "other"]


@pytest.fixture
def wide(database, tmp_path):
    """Sixty groups of two under four halves: more than fits."""
    ask(database, 'CREATE TABLE frequency_set AS SELECT range::INT AS "n@value", 3 AS "#records" FROM range(240)')
    path = tmp_path / "h.csv"
    path.write_text("".join(f"{n};p{n // 2};t{n // 60};all\n" for n in range(240)))
    import_plain(database, path, "n")
    return database


def test_many_children_fold_into_one_line_with_their_records(wide):
    lines = draw(show_taxonomy(wide, "n"), 60, max_children=3, lines=100).splitlines()
    assert lines[2].startswith("├── t0")
    assert [line[:10] for line in lines[3:6]] == ["│   ├── p0", "│   ├── p1", "│   ├── p2"]
    assert lines[6] == "│   └── … and 27 more (162 records)"
    assert lines[-1] == "└── … and 1 more (180 records)"
    assert len(lines) == 1 + 1 + 3 * (1 + 3 + 1) + 1


def test_levels_stay_closed_when_they_do_not_fit(wide):
    lines = draw(show_taxonomy(wide, "n"), 60, lines=20).splitlines()
    assert [line[:6] for line in lines[2:]] == ["├── t0", "├── t1", "├── t2", "└── t3"]


def test_long_labels_and_control_signs_fit_the_width(database, tmp_path):
    ask(database, """CREATE TABLE frequency_set AS SELECT 'a' AS "x@value", 1 AS "#records" """)
    path = tmp_path / "h.csv"
    path.write_text(f"a;{'医' * 60};top\x1b[31m\nb;{'b' * 90};top\x1b[31m\n")
    import_plain(database, path, "x")
    drawn = draw(show_taxonomy(database, "x"), 50)
    from rich.cells import cell_len

    assert "\x1b" not in drawn
    assert [cell_len(line) for line in drawn.splitlines()[1:]] == [50, 50, 50]
    assert "…" in drawn


def test_unseen_values_count_in_their_interval(database):
    ask(database, 'CREATE TABLE frequency_set ("n@value" INTEGER, "#records" BIGINT)')
    ask(database, "INSERT INTO frequency_set VALUES (1, 10), (5, 20), (-7, 1), (4, 2), (99, 4), (NULL, 8)")
    prepare(database)
    ask(
        database,
        """CREATE TABLE taxonomy.n AS SELECT * FROM (VALUES (1, '(, 4)', '*', 1, 1, 1), (5, '[4, )', '*', 2, 2, 1))
        AS t(value, level_1, level_2, code_0, code_1, code_2)""",
    )
    register(database, "n", kind="intervals", ordered=True, origin="test", options={})
    ask(
        database,
        """CREATE TABLE bounds.n AS SELECT * FROM (VALUES (NULL, '(, 4)', '*', 1, 1), (4, '[4, )', '*', 2, 1))
        AS t(lower, level_1, level_2, code_1, code_2)""",
    )
    view = show_taxonomy(database, "n")
    assert rows(view) == [(2, 1, None, "*", 2, 37), (1, 1, 1, "(, 4)", 1, 11), (1, 2, 1, "[4, )", 1, 26)]
    assert (view.null_records, view.unknown_values, view.unknown_records) == (8, 0, 0)
