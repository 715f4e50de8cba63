"""Whether a control group is of other people: how many of its records are rows of the original too, beyond chance.

A control group that is the original, or shares people with it, hides what a release gives away: what is right for the
released people is right for the control group for the same reason. In a table of few columns some rows are equal by
chance; how many, the original tells by itself: of two groups drawn from one population, as many records of the one have
an equal in the other as records of the other have a twin in their own group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.attacks.rates import Rate, excess
from anonduck.database import Database
from anonduck.statements import statement

Z = 5.0  # standard errors: far beyond chance, of which none is left in some thousand groups that were drawn
WHOLE_ORIGINAL, WHOLE_CONTROL = "whole_original", "whole_control"


@dataclass(frozen=True)
class Overlap:
    """How many control records equal one of the original in ``columns`` columns, and how many by chance would.

    ``same_file``: both are one file or table. ``alike``: both hold the same rows, each as often.
    """

    columns: int
    equal: Rate
    expected: Rate
    alike: bool = False
    same_file: bool = False

    @property
    def beyond_chance(self) -> bool:
        """Whether chance does not explain so many equal rows."""
        pairs = max(self.expected.tried // 2, 1)  # twins are counted in twos, so that half as many vary on their own
        expected = Rate(self.expected.share * pairs, pairs)
        return self.same_file or excess(self.equal, expected, Z).found

    @property
    def words(self) -> str | None:
        """What is wrong with the control group; None if nothing is."""
        if self.same_file:
            return f"the control group is the original itself; {ADVICE}"
        told = f"{self.equal.right:,} of the {self.equal.tried:,} records of the control group are rows of the original"
        if self.beyond_chance:
            return (
                f"{told} too, over {self.columns} columns, where {self.expected.share:.1%} could be by chance: "
                f"it holds people of the original, or was not drawn at random; {ADVICE}"
            )
        if self.alike:
            return (
                f"{told}, each as often as there, over {self.columns} columns. Rows so few or so "
                "alike cannot show whether they are other people; make sure that they are"
            )
        return None

    def as_json(self) -> dict[str, Any]:
        """The overlap as part of a JSON document."""
        return {
            "columns": self.columns,
            "equal": int(self.equal.right),
            "control": self.equal.tried,
            "equal_share": round(self.equal.share, 6),
            "expected_share": round(self.expected.share, 6),
            "beyond_chance": self.beyond_chance,
            "same_rows": self.alike,
            "same_file": self.same_file,
        }


ADVICE = (
    "it would hide what the release gives away. Take records of other people, whom the release leaves out, drawn at "
    "random"
)


def same_file(one: object, other: object) -> bool:
    """Whether both are one file, one table of one file, or one object."""
    if not isinstance(one, (str, Path)) or not isinstance(other, (str, Path)):
        return one is other
    if Path(one).exists() and Path(other).exists():
        return Path(one).samefile(other)
    first, second = (str(name).partition("::") for name in (one, other))
    return first[2] == second[2] and Path(first[0]).exists() and same_file(first[0], second[0])


def between(work: Database, ours: str, theirs: str, names: Sequence[str], columns: int, *, same: bool) -> Overlap:
    """The overlap of two grouped tables by the columns ``names``, which stand for so many columns."""
    query = statement("attacks/equal_rows.sql", columns={"compared": names}, table={"ours": ours, "theirs": theirs})
    found = work.records(query)[0]
    equal, expected = Rate(found["equal"], found["control"]), Rate(found["twins"], found["original"])
    return Overlap(columns, equal, expected, found["alike"], same)


def telling(found: Sequence[Overlap]) -> Overlap:
    """The one of several overlaps that says most: beyond chance before not, alike before not, more columns first."""
    return max(found, key=lambda one: (one.beyond_chance, one.alike, one.equal.share - one.expected.share, one.columns))
