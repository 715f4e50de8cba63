"""How numbers are written in text: which separators of decimals and thousands all values of a column allow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anonduck.source.engine import SourceEngine
from anonduck.source.missing_markers import NumberLook, bound
from anonduck.statements import statement
from anonduck.words import MISSING

POINT, COMMA = ".", ","


@dataclass(frozen=True)
class NumberForm:
    """The separators of a number: of decimals, and of thousands, if there is one."""

    decimals: str
    thousands: str | None = None

    @property
    def pattern(self) -> str:
        """A regular expression of all numbers of this form; only the thousands of a larger number are parted.

        >>> re.fullmatch(NumberForm(",", ".").pattern, "18.582,97") is not None
        True
        """
        whole = "[0-9]+"
        if self.thousands is not None:
            whole = rf"([1-9][0-9]{{0,2}}({re.escape(self.thousands)}[0-9]{{3}})+|{whole})"
        return rf"[+-]?{whole}({re.escape(self.decimals)}[0-9]+)?"

    @property
    def keys(self) -> dict[str, str]:
        """What `csv` says of it."""
        thousands = {} if self.thousands is None else {"thousands": self.thousands}
        return thousands | ({} if self.decimals == POINT else {"decimal_separator": self.decimals})


FORMS = (
    *(NumberForm(COMMA), NumberForm(COMMA, POINT), NumberForm(COMMA, "'"), NumberForm(COMMA, " ")),
    *(NumberForm(POINT, COMMA), NumberForm(POINT, "'"), NumberForm(POINT, " ")),
)
"""All but that of plain numbers; the fewest separators first."""


def fitting_forms(engine: SourceEngine, column: str, look: NumberLook) -> tuple[NumberForm, ...]:
    """The forms in which all values of a column are numbers, by the frequency set that ``number_look`` left.

    Groups of digits without decimals, all of one length, are rather codes.
    """
    if not look.values:
        return ()
    markers = sorted(MISSING)
    query = statement("source/form_looks.sql", **bound(column))
    found = [
        form
        for form in FORMS
        if engine.database.value(query, {"markers": markers, "form": form.pattern}) == look.values
    ]
    parted = look.varied or bool(look.commas and look.points) or NumberForm(COMMA) in found
    return tuple(found) if parted else ()


def _decimals(forms: Sequence[NumberForm]) -> set[str]:
    return {form.decimals for form in forms}


def is_ambiguous(forms: Sequence[NumberForm]) -> bool:
    """Whether the values may be numbers with a decimal comma, or with a comma that parts thousands."""
    return len(_decimals(forms)) > 1


def one_form(found: Sequence[Sequence[NumberForm]]) -> NumberForm | None:
    """The form of fewest separators that fits all of some columns; None where none does."""
    common = [form for form in FORMS if all(form in forms for forms in found)]
    return common[0] if common and not is_ambiguous(common) else None
