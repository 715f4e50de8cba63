"""The columns of an attack, as the query files of attacks list them.

Attribute 1 is ``a_1`` in grouped tables (its value as text), ``l_1`` where its values are placed (the number of the
released label, or a list of numbers where a value may stand behind several), ``n_1`` (the value's position on its
line) and ``v_1`` where its values are numbered. A target is called ``t``, a released row ``c``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.statements.expansion import Item, expression
from anonduck.statements.expansion import number as literal

NEAR = 1e-6  # of the span: a value outside an interval is never at distance 0 of it, not even at its open end
ONE_LABEL = {
    "labels": "c{number}.labels[1]",
    "label": "s.l_{number}",
    "covered": "coalesce(t.l_{number} = c.l_{number}, FALSE)",
    "agrees": "t.l_{number} = c.l_{number}",
    "none": "0",
    "row_label": "any_value(c.l_{number})",
}
"""Of a column whose values have one label each: ``covered`` is whether the label of the row covers the value of the
target; ``agrees`` too, but NULL for a value that no label covers, which joins by hashes."""
SEVERAL_LABELS = {
    "labels": "c{number}.labels",
    "label": "s.l_{number}[1]",
    "covered": "list_contains(t.l_{number}, c.l_{number})",
    "agrees": "list_contains(t.l_{number}, c.l_{number})",
    "none": "[]::INTEGER[]",
    "row_label": "[any_value(c.l_{number})]",
}
OF_NAMES = "1.0::DOUBLE"
ON_LINE = (
    "CASE WHEN t.n_{number} IS NULL OR c.lower_{number} IS NULL THEN 1.0::DOUBLE ELSE least(greatest("
    "(c.lower_{number} - t.n_{number}) / {span}, (t.n_{number} - c.upper_{number}) / {span}, {near}), 1.0::DOUBLE) END"
)
"""The distance of a value from a label that does not cover it."""


@dataclass(frozen=True)
class AttackedColumn:
    """A released column in an attack.

    ``span`` is the length of its line in the original, None for a column of names. ``several``: a value may stand
    behind more than one label. ``kept``: not a quasi-identifier, so that the attacker learns it.
    """

    number: int
    name: str
    span: float | None = None
    several: bool = False
    kept: bool = False

    @property
    def item(self) -> Item:
        """The fields of the column in a query file."""
        texts = SEVERAL_LABELS if self.several else ONE_LABEL
        distance = ON_LINE if self.span else OF_NAMES
        given = {"number": self.number, "span": literal(self.span or 0.0), "near": literal(NEAR)}
        fields = {field: expression(text, **given) for field, text in {**texts, "distance": distance}.items()}
        return {"number": self.number, **fields}


def items_of(columns: Sequence[AttackedColumn]) -> list[Item]:
    """The columns, as query files list them."""
    return [one.item for one in columns]
