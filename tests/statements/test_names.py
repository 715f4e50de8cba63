"""Every statement that is built is named for what builds it, so that errors and traces tell its file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import anonduck
from anonduck.statements import Statement

PACKAGE = Path(anonduck.__file__).parent
STATEMENTS = PACKAGE / "statements"
MAKERS = {"Statement", "line"}
"""What makes a statement of a name, its first argument."""


def named(tree: ast.Module) -> Iterator[tuple[ast.expr, set[str]]]:
    """The names of the statements that a module makes, those included that it passes on to a helper of its own, and in
    which functions it makes each: in none at the top."""
    for function in ast.walk(tree):
        body = function.body if isinstance(function, (ast.Module, ast.FunctionDef)) else []
        for call in (node for statement in body for node in within(statement)):
            if called(call) not in MAKERS:
                continue
            name = call.args[0]
            parameters = [one.arg for one in function.args.args] if isinstance(function, ast.FunctionDef) else []
            if isinstance(name, ast.Name) and name.id in parameters:
                position = parameters.index(name.id)
                yield from ((c.args[position], set()) for c in ast.walk(tree) if called(c) == function.name)
            else:
                yield name, {one.name for one in functions_of(tree) if call in ast.walk(one)}


def within(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, but for functions."""
    if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from within(child)


def called(node: ast.AST) -> str | None:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def fault(name: ast.expr, functions: set[str], path: Path | None = None) -> str | None:
    """The name, if it does not say what builds the statement: a constant, and in the module at hand a function there;
    what a name has in braces is not looked at, nor the name of another statement."""
    if isinstance(name, ast.Attribute) and name.attr == "name":
        return None
    text = ast.literal_eval(name) if isinstance(name, ast.Constant) else ast.unparse(name)[2:-1]
    module, _, built = text.partition(".")
    built = built.partition(" ")[0].partition("(")[0]
    file = next(STATEMENTS.rglob(f"{module}.py"), None) if "/" not in module else PACKAGE / f"{module}.py"
    if file is None or not file.exists():
        return text
    if built.startswith("{") or built in constants(ast.parse(file.read_text())):
        return None
    if not functions or file != path:
        functions = {one.name for one in functions_of(ast.parse(file.read_text()))}
    return None if {built, f"_{built}"} & functions else text


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def constants(tree: ast.Module) -> set[str]:
    return {ast.unparse(to) for node in tree.body if isinstance(node, ast.Assign) for to in node.targets}


FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "template.py"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_statement_is_named_for_what_builds_it(path):
    assert [text for one in named(ast.parse(path.read_text())) if (text := fault(*one, path))] == []


def test_a_name_that_tells_no_file_is_found():
    tree = ast.parse('A = Statement("a set", "")\ndef _made(one, name): return Statement(name, one)\n_made(1, "b set")')
    assert sorted(fault(*one) for one in named(tree)) == ["a set", "b set"]
    assert len(list(named(ast.parse((STATEMENTS / "pipeline" / "builder_release.py").read_text())))) == 3
    assert (
        Statement("builder_release.copy_to", "").origin == "anonduck/statements/pipeline/builder_release.py (copy_to)"
    )
