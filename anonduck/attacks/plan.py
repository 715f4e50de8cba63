"""What an attack sets out to do: the columns that it knows, links and guesses, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonduck.attacks import inference, splink_linkage
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.known_requirement import KnownRequirement
from anonduck.attacks.options import AttackOptions
from anonduck.attacks.tables import reasons
from anonduck.errors import AuditError
from anonduck.statements.builder_attack import AttackedColumn

MOST_KNOWN = 62  # columns: a pattern of agreement has a bit for each


@dataclass(frozen=True)
class AttackPlan:
    """What is attacked: the columns, the sets of columns that link, the columns that are guessed, how many guesses.

    ``missing`` is the share of the original that the release does not hold, by the numbers of both.
    """

    placed: PlacedColumns
    sets: tuple[tuple[AttackedColumn, ...], ...]
    guessed: tuple[AttackedColumn, ...]
    rows: int
    guesses: int
    seed: int
    control: bool
    splink: bool
    downcoding: bool
    requirement: KnownRequirement | None = None
    sensitive: tuple[str, ...] = ()
    missing: float = 0.0


def planned(
    placed: PlacedColumns,
    options: AttackOptions,
    requirement: KnownRequirement | None,
    records: Mapping[str, int],
    *,
    control: bool,
) -> AttackPlan:
    """The plan for columns that are placed."""
    return AttackPlan(
        placed,
        _sets(placed, options.link),
        _guessed(placed, options.goals),
        records["release"],
        options.guesses,
        options.seed,
        control,
        options.with_splink and bool(splink_linkage.compared(placed)),
        options.downcoding,
        requirement,
        tuple(options.sensitive),
        max(0.0, 1 - records["release"] / max(records["original"], 1)),
    )


def _sets(placed: PlacedColumns, link: Sequence[Sequence[str]]) -> tuple[tuple[AttackedColumn, ...], ...]:
    """The two sets to link, as far as their columns can be attacked; none if one of them is empty."""
    sets = tuple(tuple(one for one in placed.known if one.name in names) for names in link)
    return sets if all(sets) else ()


def check_known(placed: PlacedColumns, left_out: Mapping[str, str]) -> None:
    """Raise AuditError where no column can be attacked, or too many."""
    if not placed.known:
        raise AuditError(f"no quasi-identifier can be attacked: {reasons(left_out)}")
    if len(placed.known) > MOST_KNOWN:
        raise AuditError(
            f"at most {MOST_KNOWN} quasi-identifiers can be attacked at once; there are {len(placed.known)}"
        )


def _guessed(placed: PlacedColumns, goals: Sequence[str]) -> tuple[AttackedColumn, ...]:
    """The kept columns to guess that have few enough values."""
    kept = {one.name: one for one in placed.attributes if one.kept}
    return tuple(kept[name] for name in goals if name in kept and not is_wide(placed, kept[name]))


def is_wide(placed: PlacedColumns, one: AttackedColumn) -> bool:
    """Whether a column has too many values to be guessed."""
    return placed.labels[one.number] > inference.MOST_VALUES
