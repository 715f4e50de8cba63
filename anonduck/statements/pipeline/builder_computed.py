"""Labels computed from a value and the options alone: query files, one step after the other, for each level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from anonduck.statements.template import DIALECT, Statement, load

ROOT_LABEL = "*"


@dataclass(frozen=True)
class ComputedStep:
    """A query file of sql/taxonomy, the values that stand in it, and the columns of the step before that it names."""

    name: str
    values: Mapping[str, int | str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ComputedLabels:
    """How labels are computed: first the value is read, then each level under the root takes the same steps.

    ``outside`` is the label of values that are not what they should be (no date, no address), if there can be any;
    ``ordered`` says that the nodes follow the order of their values.
    """

    read: tuple[ComputedStep, ...]
    levels: tuple[tuple[ComputedStep, ...], ...]
    outside: str | None = None
    ordered: bool = False

    @property
    def root(self) -> int:
        """The level of the root."""
        return len(self.levels) + 1


def labels_of(labels: ComputedLabels, held: str | tuple[str, str]) -> Statement:
    """The rows of the relation ``held`` (a column ``value``) with level_1 ... level_h; takes no parameters."""
    return Statement("builder_computed.labels_of", _labelled(labels, held).sql(DIALECT, pretty=True))


def _labelled(labels: ComputedLabels, held: str | tuple[str, str]) -> exp.Select:
    relation, queries = _chain(labels, held)
    numbers = range(1, labels.root)
    query = exp.select("value", *(exp.column(f"label_{number}").as_(f"level_{number}") for number in numbers))
    known = exp.Not(this=exp.Is(this=exp.column("value"), expression=exp.null()))
    root = exp.Case().when(known, exp.Literal.string(ROOT_LABEL))
    query = query.select(root.as_(f"level_{labels.root}")).from_(relation)
    for name, step in queries:
        query = query.with_(name, as_=step)
    return query


def _chain(labels: ComputedLabels, held: str | tuple[str, str]) -> tuple[str, list[tuple[str, exp.Select]]]:
    """The steps as named queries, each reading the one before; the first reads ``held`` under a name of its own."""
    relation = "held_values" if held != "held_values" else "held_values_"
    source = exp.table_(held[1], db=held[0], quoted=True) if isinstance(held, tuple) else exp.table_(held, quoted=True)
    queries = [(relation, exp.select("value").from_(source))]
    for number, step in enumerate(labels.read, 1):
        queries.append((f"read_{number}", _bound(step, "held", relation)))
        relation = f"read_{number}"
    made: set[str] = set()
    for number, steps in enumerate(zip(*labels.levels, strict=True), 1):
        queries.append((f"computed_{number}", _all_levels(steps, relation, made)))
        relation = f"computed_{number}"
    return relation, queries


def _all_levels(steps: tuple[ComputedStep, ...], relation: str, made: set[str]) -> exp.Select:
    """One step for every level beside what is there already; what a level computes is numbered by the level."""
    query = exp.select("*").from_(relation)
    fresh: set[str] = set()
    for level, step in enumerate(steps, 1):
        for item in _bound(step, "computed", relation).expressions:
            fresh.add(item.alias)
            expression = item.this.transform(_numbered, level, made)
            query = query.select(exp.alias_(expression, f"{item.alias}_{level}"))
    made |= fresh
    return query


def _numbered(node: exp.Expression, level: int, made: set[str]) -> exp.Expression:
    if isinstance(node, exp.Column) and node.name in made:
        return exp.column(f"{node.name}_{level}")
    return node


def _bound(step: ComputedStep, marker: str, relation: str) -> exp.Select:
    tree = load(f"taxonomy/builders/{step.name}.sql").bound_tree(
        columns={}, column=step.columns, table={marker: relation}
    )
    bound = tree.transform(_with_literal, step.values)
    assert isinstance(bound, exp.Select)
    return bound


def _with_literal(node: exp.Expression, values: Mapping[str, int | str]) -> exp.Expression:
    if not isinstance(node, (exp.Placeholder, exp.Parameter)):
        return node
    value = values[node.name]
    return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)
