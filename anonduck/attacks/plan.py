"""What an attack is asked to do: its options, the columns it knows, links and guesses, and notes on the group sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck.attacks import inference, splink_linkage
from anonduck.attacks.attacked_columns import AttackedColumn
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.known_requirement import KnownRequirement
from anonduck.attacks.tables import reasons
from anonduck.errors import AuditError
from anonduck.privacy.requirement import Required

MOST_KNOWN = 62  # columns, because a pattern of agreement has a bit for each
UNEQUAL = 1.25  # ratio of group sizes from which single records are noticeably rarer in one group


@dataclass(frozen=True)
class AttackOptions:
    """The checked options of ``anonduck.attack``. Raises AuditError for invalid ones.

    Quasi-identifiers are what the attacker knows; the default is all columns without another role. Inference guesses
    the sensitive columns, or the class if there are none. ``link`` names two sets of quasi-identifiers that an attacker
    holds from two sources. Values are matched to released labels by their text, by intervals, and by taxonomies: lookup
    files or DataFrames by column, or those in the decision database of the config ``project``.

    At most ``guesses`` records of each group are attacked, drawn by ``seed``. Splink is used if it is installed;
    ``splink`` forces or forbids it. A control group that shares more records with the original than chance explains
    gets a note, or is refused if ``strict``.

    ``downcoding`` tries what labels reveal because they are the smallest nodes over their classes. ``minimality`` tries
    what classes reveal because they were not cut further; it needs the requirements of the release (``requirements``,
    such as ``{"k": 5, "l": 2}``), by default those in its receipt. ``delim`` is the separator of CSV files.

    With a register of people, ``intruder_key`` is the column that it shares with the original and that says who is who;
    by default the one that is unique in the register and not in the release. ``intruder_all`` looks for all of its
    people, in place of ``guesses`` of them.
    """

    quasi_identifiers: Sequence[str] | None = None
    sensitive: Sequence[str] = ()
    class_: str | None = None
    insensitive: Sequence[str] = ()
    link: Sequence[Sequence[str]] = ()
    taxonomies: Mapping[str, Any] = field(default_factory=dict)
    project: Path | None = None
    guesses: int = 1_000
    seed: int = 0
    splink: bool | None = None
    strict: bool = False
    downcoding: bool = False
    minimality: bool = False
    requirements: Mapping[str, Required] | None = None
    delim: str | None = None
    intruder_key: str | None = None
    intruder_all: bool = False
    with_splink: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.guesses < 1:
            raise AuditError(f"an attack makes at least one guess; got guesses={self.guesses}")
        if self.requirements and not self.minimality:
            raise AuditError(
                "what the release had to meet is needed where minimality is tried; add `--minimality`, or leave it out"
            )
        object.__setattr__(self, "with_splink", splink_linkage.chosen(self.splink))

    @property
    def others(self) -> list[str]:
        """The columns that are not quasi-identifiers."""
        return [*self.sensitive, *([self.class_] if self.class_ else []), *self.insensitive]

    @property
    def goals(self) -> list[str]:
        """The columns to guess."""
        return list(self.sensitive) or ([self.class_] if self.class_ else [])


@dataclass(frozen=True)
class AttackPlan:
    """What is attacked: placed columns, the two sets of columns to link, the columns to guess, the number of guesses.

    ``rows`` is the number of released records, ``missing`` the share of the original that the release lacks, by the two
    numbers of records.
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


def plan_attack(
    placed: PlacedColumns,
    options: AttackOptions,
    requirement: KnownRequirement | None,
    records: Mapping[str, int],
    *,
    control: bool,
) -> AttackPlan:
    """The plan for placed columns."""
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
    """The two sets of columns to link that can be attacked; none if one set is empty."""
    sets = tuple(tuple(one for one in placed.known if one.name in names) for names in link)
    return sets if all(sets) else ()


def check_known(placed: PlacedColumns, left_out: Mapping[str, str]) -> None:
    """Raise AuditError if no quasi-identifier can be attacked, or too many are given."""
    if not placed.known:
        raise AuditError(f"no quasi-identifier can be attacked: {reasons(left_out)}")
    if len(placed.known) > MOST_KNOWN:
        raise AuditError(
            f"at most {MOST_KNOWN} quasi-identifiers can be attacked at once; there are {len(placed.known)}"
        )


def _guessed(placed: PlacedColumns, goals: Sequence[str]) -> tuple[AttackedColumn, ...]:
    """The columns to guess that have at most ``MOST_VALUES`` values."""
    kept = placed.kept
    return tuple(kept[name] for name in goals if name in kept and not is_wide(placed, kept[name]))


def is_wide(placed: PlacedColumns, one: AttackedColumn) -> bool:
    """Whether a column has too many values to be guessed."""
    return placed.labels[one.number] > inference.MOST_VALUES


def size_notes(records: Mapping[str, int], placed: PlacedColumns) -> Iterator[str]:
    """Notes on what weakens a comparison of the groups: different sizes, and values that no label covers."""
    if records["original"] != records["release"]:
        yield (
            f"the release has {records['release']:,} records and the original {records['original']:,}: the original "
            "should hold the people of the release and nobody else, except suppressed records"
        )
    held = records.get("control")
    if held is None:
        yield "there is no control group: name records of people who are not in the release with `--control FILE`"
    elif not 1 / UNEQUAL <= held / records["original"] <= UNEQUAL:
        yield (
            f"the control group has {held:,} records and the original {records['original']:,}: how often a "
            "combination fits just one depends on how many there are; use groups of the same size"
        )
    for name, share in placed.unplaced.items():
        yield (
            f"{share:.0%} of the control records have a value of {name!r} that no released label covers, so that "
            "guesses about them fail; a taxonomy that knows all values would give a smaller excess"
        )
