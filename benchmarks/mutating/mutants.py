"""The mutants of a room: one a place in its code, made by the operators of Cosmic Ray."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random

import parso  # noqa: F401 - Cosmic Ray imports its parts in an order that fails unless it is there
from cosmic_ray.commands.init import _all_work_items
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator


@dataclass(frozen=True, order=True)
class Mutant:
    """One change: the module's file relative to the project, the operator, its occurrence, and lines from 1."""

    path: str
    first: int
    last: int
    operator: str
    occurrence: int

    def source(self, root: Path) -> str:
        """The text of the module with the change."""
        text = (root / self.path).read_text(encoding="utf-8")
        changed = mutate_code(text, get_operator(self.operator)(), self.occurrence)
        if changed is None:
            raise ValueError(f"{self} changes nothing: the module is another one than when it was drawn")
        return str(changed)


class _Bare(ast.NodeTransformer):
    """Takes off what does not run: annotations."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(value=None)
        return self.generic_visit(node)


def _running(text: str) -> str:
    """What runs of a module, as a text that compares; nothing where the operator made no Python of it."""
    try:
        return ast.dump(_Bare().visit(ast.parse(text)))
    except SyntaxError:
        return ""


def _statement(tree: ast.Module, line: int) -> tuple[int, int]:
    """The lines of the smallest simple statement around a line, or of the head of a compound one."""
    found = (line, line)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if line <= last:
                found = (node.lineno, max(last, node.lineno))
    return found


def drawn(root: Path, room: str, number: int, seed: int) -> list[Mutant]:
    """So many mutants of the modules of a room, at places drawn without replacement; each changes what runs."""
    random = Random(f"{seed} {room}")  # noqa: S311 - the same ones must come back
    places: dict[tuple[str, tuple[int, int]], list[tuple[str, int]]] = defaultdict(list)
    files = sorted((root / "anonduck" / room).rglob("*.py"))
    for item in _all_work_items(files, {}):
        for one in item.mutations:
            path = Path(one.module_path).relative_to(root).as_posix()
            places[path, one.start_pos].append((one.operator_name, one.occurrence))
    mutants: list[Mutant] = []
    for path, start in random.sample(sorted(places), len(places)):
        operator, occurrence = random.choice(sorted(places[path, start]))
        text = (root / path).read_text(encoding="utf-8")
        mutant = Mutant(path, *_statement(ast.parse(text), start[0]), operator, occurrence)
        try:
            changed = mutant.source(root)
        except AttributeError:  # Cosmic Ray cannot replace the error of `except module.Error`
            continue
        if _running(changed) not in ("", _running(text)):
            mutants.append(mutant)
        if len(mutants) == number:
            break
    return mutants
