"""The notebook of the docs: its code runs, cell by cell, and what it displays can be displayed."""

import ast
import json
from pathlib import Path

import pytest

from anonduck.demo.export import write_demo_export

NOTEBOOK = Path(__file__).parent.parent / "docs" / "anonymize.ipynb"


def test_no_output_is_saved_that_would_go_stale():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert {cell["cell_type"] for cell in cells} == {"code", "markdown"}
    assert not [cell for cell in cells if cell.get("outputs")]


@pytest.mark.slow
def test_each_cell_runs_and_displays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_demo_export(tmp_path / "persons.parquet", rows=1_000)
    names, shown = {}, []
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 - the cells are our own
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))  # noqa: S307 - as above
    pictures = [one for one in shown if hasattr(one, "_repr_svg_")]
    assert [one._repr_svg_()[:4] for one in pictures] == ["<svg"]
    assert pictures[0].save("offer.svg").read_text() == pictures[0].svg
    assert sum(hasattr(one, "_repr_html_") for one in shown) == 4
