"""Labels that are computed from the values themselves, by query files, one step after the other, for all levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonduck.statements.expansion import Lists
from anonduck.statements.literals import literal
from anonduck.statements.pipeline.column_names import levels_to
from anonduck.statements.template import Statement, chained, statement


@dataclass(frozen=True)
class ComputedStep:
    """A query file of sql/taxonomy, the values that stand in it, and the columns of the step before that it names."""

    name: str
    values: Mapping[str, int | str] = field(default_factory=dict, hash=False)
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)


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
    """The rows of the relation ``held`` (a column ``value``) with level_1 ... level_h; takes no parameters.

    The steps are named queries, each of which reads the one before; the first reads ``held`` under a name of its own.
    """
    last = "held_values" if held != "held_values" else "held_values_"
    queries = {last: statement("taxonomy/builders/computed_values.sql", table={"held": held})}
    for number, step in enumerate(labels.read, 1):
        queries[f"read_{number}"] = _read(step, last)
        last = f"read_{number}"
    for number, steps in enumerate(zip(*labels.levels, strict=True), 1):
        queries[f"computed_{number}"] = _all_levels(steps, last)
        last = f"computed_{number}"
    labelled = statement(
        "taxonomy/builders/computed_labels.sql",
        column={"root": f"level_{labels.root}"},
        table={"computed": last},
        lists={"levels": levels_to(labels.root - 1)},
    )
    return chained(queries, labelled)


def _read(step: ComputedStep, relation: str) -> Statement:
    given: Lists = {"given": [_fields(step)]} if step.values else {}
    return statement(f"taxonomy/builders/{step.name}.sql", table={"held": relation}, lists=given)


def _all_levels(steps: Sequence[ComputedStep], relation: str) -> Statement:
    """One step for every level, beside what is there already."""
    (name,) = {step.name for step in steps}
    levels = [{"level": level, **_fields(step)} for level, step in enumerate(steps, 1)]
    return statement(f"taxonomy/builders/{name}.sql", table={"computed": relation}, lists={"levels": levels})


def _fields(step: ComputedStep) -> dict[str, Any]:
    values = {name: value if isinstance(value, int) else literal(value) for name, value in step.values.items()}
    return {**values, **step.columns}
