"""Intersect a release with an earlier one: by the files alone, by a key of persons, or by their common original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonduck.auditing.options import AuditOptions
from anonduck.database.connection import Database
from anonduck.privacy import composition
from anonduck.privacy.composition import EARLIER, LATER, ComparedColumns, compare_with_original, intersect
from anonduck.privacy.measures import PrivacyMeasure
from anonduck.privacy.requirement import CriterionResult


@dataclass(frozen=True)
class Composed:
    """Whether it is known who is in both releases, and what could not be compared, with the reason."""

    exact: bool = False
    warnings: tuple[str, ...] = ()

    def report_warnings(
        self, measured: Mapping[str, PrivacyMeasure], requirements: Sequence[CriterionResult]
    ) -> Iterator[str]:
        """The warnings for the audit's report."""
        yield from self.warnings
        if "composition" in measured and not measured["composition"].details["pairs"]:
            yield (
                "no class of the earlier release can have a person in common with one of this file: they are not of "
                "the same people, or what they keep has changed (`uncompared=[COLUMN]`)"
            )
        for one in requirements:
            if one.not_shown:
                yield (
                    f"{one.asked.text} is not shown: two files say how many persons two classes can have in common, "
                    "not how many they have. The key of persons in both files (`entity=COLUMN`) or the table that both "
                    "were made of (`original=SOURCE`) shows it"
                )


def compose_release(
    work: Database,
    target: object,
    columns: Sequence[str],
    quasi: Sequence[str],
    compared: ComparedColumns | None,
    options: AuditOptions,
) -> Composed:
    """Intersect the classes of a release with those of the earlier one; does nothing if ``compared`` is None.

    Without an original, the later release has been grouped already (anonduck.privacy.composition).
    """
    if compared is None:
        return Composed()
    why, taxonomies = None, options.label_taxonomies
    if options.original is not None:
        why = _intersect(work, target, (columns, quasi), compared, options)
        if why is None:
            return Composed(exact=True)
        taxonomies = {name: one for name, one in taxonomies.items() if name in compared.quasi_identifiers}
    apart = composition.compose(work, compared, options.against, options.delim, taxonomies)
    apart_words = [
        f"column {name!r} is not compared with the earlier release: {reason}" for name, reason in apart.items()
    ]
    return Composed(compared.persons, (*filter(None, [why]), *apart_words))


def _intersect(
    work: Database,
    target: object,
    later: tuple[Sequence[str], Sequence[str]],
    compared: ComparedColumns,
    options: AuditOptions,
) -> str | None:
    """Intersect the classes by the records of the original; returns a reason if the original does not show who is
    where.
    """
    against, original, delim = options.against, options.original, options.delim
    held = {LATER: later[0], EARLIER: composition.columns_of(work, against, delim)}
    quasi = {LATER: later[1], EARLIER: [one for one in compared.columns(EARLIER) if one not in compared.kept]}
    columns = composition.columns_of(work, original, delim)
    known = {
        release: compare_with_original(columns, quasi[release], held[release], options.uncompared) for release in held
    }
    return intersect(work, {LATER: target, EARLIER: against}, known, original, delim, options.label_taxonomies)
