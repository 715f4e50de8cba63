"""Taxonomy files that are no tree over their column: each fault has its own message, and nothing is released."""

import pytest
from bad_inputs import CONFIG, GOOD, accepted, laid_out, refused, told

TREE = "baker,food,*\ncook,food,*\nnurse,health,*\n"
RELEASE = ("release", "job=1", "-o", "o.csv", "--require", "k=1")


def with_tree(folder, content, options=""):
    return laid_out(
        folder, {"s.csv": GOOD, "j.csv": content}, f"{CONFIG}taxonomies: {{job: {{file: j.csv{options}}}}}\n"
    )


@pytest.mark.some(5)
@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (TREE.replace("nurse,health,*\n", ""), "", "lacks 1 of its values, found in 14 records. Add them to the"),
        ("ZZSECRET" + TREE, "", "lacks 1 of its values, found in 14 records"),
        (TREE + "ZZSECRET,food\n", "", "line 4: 2 fields, and most lines have 3"),
        (
            TREE.replace("food", "füd").encode("cp437"),
            "",
            "not UTF-8, UTF-16 or Windows-1252; name its encoding, such as `encoding: cp850`",
        ),
        (TREE, ", encoding: klingon", "there is no encoding 'klingon'"),
        (TREE, ", sep: ';'", "has only one level"),
        (TREE, ", header: true", "lacks 1 of its values"),
        ("job,group,all\n" + TREE, ", header: false", "end in two roots"),
        (TREE, ", block: job", "not a file of blocks; a block opens with a line of just %"),
    ],
)
def test_faults(capsys, tmp_path, content, options, words):
    refused(capsys, with_tree(tmp_path, content, options), words, *RELEASE)


@pytest.mark.slow
@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("content", "options"),
    [
        (TREE.replace("food", "fööd").encode("latin-1"), ", encoding: latin-1"),
        ("job,group,all\n" + TREE, ", header: true"),
        (TREE.replace("food", '"\'); DROP TABLE x; --"'), ""),
    ],
)
def test_odd_files_that_work(capsys, tmp_path, content, options):
    text = accepted(capsys, with_tree(tmp_path, content, options), *RELEASE)
    assert "42 records in 2 equivalence classes, k = 14" in text


@pytest.mark.slow
def test_only_show_values_shows_values(capsys, tmp_path):
    folder = laid_out(
        tmp_path,
        {"s.csv": GOOD.replace("nurse", "ZZSECRET"), "j.csv": TREE},
        CONFIG + "taxonomies: {job: {file: j.csv}}\n",
    )
    words = "lacks 1 of its values, found in 14 records"
    refused(capsys, folder, words, *RELEASE)
    refused(capsys, folder, "values without a leaf: 1 in 14 records", "discover")
    code, text = told(capsys, folder, *RELEASE, "--show-values")
    assert code == 2
    assert "'ZZSECRET' (14)" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "gone.csv", "--column", "job"), "there is no taxonomy file"),
        (
            ("import", "j.csv", "--column", "zip"),
            "'zip' is not a quasi-identifier; name one with `--column COLUMN`: 'age', 'job'",
        ),
        (("import", "j.csv", "--format", "blocks"), "not a file of blocks"),
        (("import", "b.csv", "--format", "blocks", "--map", "x"), "--map takes BLOCK=COLUMN"),
        (("import", "b.csv", "--format", "blocks", "--map", "zz=job"), "has no block 'zz'; its blocks are job"),
        (("build", "zip"), "zip"),
        (("show", "zip"), "column 'zip' has no taxonomy"),
        (("show", "age", "--level", "9"), "the taxonomy of 'age' has the levels 0 to 2; it has no level 9"),
        (("export", "age", "-o", "x.csv"), "column 'age' has no taxonomy"),
    ],
)
def test_commands(capsys, tmp_path, arguments, words):
    folder = laid_out(tmp_path, {"s.csv": GOOD, "j.csv": TREE, "b.csv": f"%\njob\n{TREE}"})
    refused(capsys, folder, words, "taxonomy", *arguments)
