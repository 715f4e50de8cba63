"""Tables in terminals of several widths, and what stops early where nobody reads on."""

import re
import subprocess
import sys

import pytest

from anonduck.cli.tables import Pieces, print_table

COLUMNS = ["rule", "k", "gain (bits)", "tree accuracy", "origin", "levels"]
LITERAL = "age=3,education=2,marital-status=1,relationship=0,workclass=2"
LEVELS = Pieces(tuple(f"{one} (2 of 6)" for one in LITERAL.split(",")), LITERAL)
ROWS = [["R1", "1,200", "0.1234", "0.8123", "extracted", LEVELS], ["R2", "12", "0.1", "0.8", "lattice", None]]


@pytest.fixture
def shown(monkeypatch, capsys):
    """What a terminal of a width shows of a table."""

    def show(width, **options):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        print_table(COLUMNS, ROWS, right=["k"], **options)
        return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)

    return show


@pytest.mark.parametrize("width", range(60, 130, 7))
def test_no_piece_of_the_levels_is_cut(shown, width):
    told = shown(width, wraps="levels", give_way=["gain (bits)", "origin", "tree accuracy"])
    rows = [line for line in told.splitlines() if "(2 of 6)" in line]
    pieces = [piece.strip(", ") for line in rows for piece in re.findall(r"[a-z-]+=\d \(2 of 6\)", line)]
    assert pieces == list(LEVELS.pieces)
    assert {"R1", "1,200"} <= set(told.split())
    assert max(map(len, rows)) <= width
    assert not any(line.strip() and "(2 of 6)" not in line for line in told.splitlines()[2 : 2 + len(rows) - 1])


def test_what_gives_way_is_said_and_only_as_much_as_must(shown):
    narrow, middle, wide = (shown(width, wraps="levels", give_way=["gain (bits)", "origin"]) for width in (60, 75, 120))
    assert "left out for want of width: gain (bits), origin;" in narrow
    assert "left out for want of width: gain (bits);" in middle
    assert "extracted" in middle
    assert "left out" not in wide


def test_a_file_gets_all_of_it(capsys):
    print_table(COLUMNS, ROWS, wraps="levels", give_way=["gain (bits)", "origin"])
    told = capsys.readouterr().out
    assert LITERAL in told
    assert "extracted" in told


def laid_out(capsys, columns, rows, right):
    print_table(columns, rows, right=right)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "columns", [["a", "long name", "n"], ["only"], ["a", ":smile:", "[bold]"], ["wide" * 60, "b" * 170]]
)
@pytest.mark.parametrize("cell", ["", "x", "two words", "é", "漢字", "1,234.5", "a\nb", "c" * 90, "[red]x[/red]", None])
@pytest.mark.parametrize("aligned", [False, True])
def test_a_table_in_a_file_is_laid_out_as_by_rich(capsys, monkeypatch, columns, cell, aligned):
    rows = [[cell if place == row else f"{row}.{place}" for place in range(len(columns))] for row in range(3)]
    right = columns[-1:] if aligned else []
    own = laid_out(capsys, columns, rows, right)
    monkeypatch.setattr("anonduck.cli.tables._plain_lines", lambda *_: None)
    assert own == laid_out(capsys, columns, rows, right)


def test_a_table_in_a_file_needs_no_rich_unless_it_is_wide_or_styled(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert laid_out(capsys, ["a", "b"], [["1", None]], ["a"]) == "a  b\n1   \n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(ImportError):
        print_table(["a"], [["1"]])


@pytest.mark.slow
def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m anonduck schema | {sys.executable} -c pass; echo ended ${{PIPESTATUS[0]}} >&2"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
    assert run.stderr == "ended 0\n"
