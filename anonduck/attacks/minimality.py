"""Minimality: what classes reveal by not having been cut.

After Wong, Fu, Wang and Pei (2007), "Minimality attack in privacy preserving data publishing". The attacker knows
everybody's quasi-identifiers, the taxonomies, the method and the requirement. If a class was not cut although k alone
would have allowed it, each such cut must have missed the requirement on sensitive values. Of all ways to deal the
class's values to its people, only those consistent with that remain. The chance that a person has a value is its share
among these.

Two claims follow:

- the likeliest value of each person, compared with the most frequent value of the class for the same people;
- the value of the person about whom the attacker is surest, in each class where some chance exceeds the largest share
  that the class shows, compared with the most frequent value of the class for any of its people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from anonduck.attacks.attacked_columns import AttackedColumn
from anonduck.attacks.class_people import ClassPeople, KnownClass
from anonduck.attacks.cuts import ClassCut, CutJudge, DealtChances, chances_of
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.known_requirement import KnownRequirement
from anonduck.attacks.rates import Rate
from anonduck.attacks.report import INFERENCE, MINIMALITY, SUREST, Attempt
from anonduck.attacks.words import digits, percent
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.audited_file import listed
from anonduck.privacy.relations import forget

ALIKE = 1e-9  # chances closer than this are equal
LOOKED_AT = 20  # at most so many classes per claim are examined


@dataclass
class ColumnTally:
    """The claims about a sensitive column, summed over classes, and what a plain guess reaches.

    ``right`` and ``plain`` count right claims and plain guesses about all ``people``; ``surest_right`` and
    ``surest_plain`` those about the surest person in each of the ``classes`` with raised people. ``raised`` people have
    a value with a larger chance than the class shows of any value, ``over`` people one over the bound although the
    class shows none over it. ``largest`` is the largest such chance, and ``shown`` the largest share its class shows.
    """

    about: str
    people: int = 0
    right: float = 0.0
    plain: float = 0.0
    classes: int = 0
    surest_right: float = 0.0
    surest_plain: float = 0.0
    largest: float = 0.0
    shown: float = 0.0
    raised: int = 0
    over: int = 0

    def add(
        self,
        groups: np.ndarray,
        chances: np.ndarray,
        shown: np.ndarray,
        truth: np.ndarray,
        noise: np.ndarray,
        bound: float | None,
    ) -> None:
        """Add a class.

        Args:
            groups: the group of each person (people,).
            chances: the chance of each value for each group (groups, values).
            shown: the share of each value that the class shows (values,).
            truth: the value that each person has (people,).
            noise: how far ``chances`` may be off (groups, values).
            bound: the largest share that the requirement promises.
        """
        right = _right(chances, truth, groups)
        plain = _right(np.tile(shown, (len(chances), 1)), truth, groups)
        self.people += len(groups)
        self.right, self.plain = self.right + float(right.sum()), self.plain + float(plain.sum())
        tops, least, most = chances.max(axis=1), (chances - noise).max(axis=1), float(shown.max())
        raised = least > most + ALIKE
        if raised.any():
            surest = tops >= tops[raised].max() - ALIKE
            self.raised, self.classes = self.raised + int(raised[groups].sum()), self.classes + 1
            self.surest_right, self.surest_plain = (
                self.surest_right + float(right[surest[groups]].mean()),
                self.surest_plain + most,
            )
            if tops.max() > self.largest:
                self.largest, self.shown = float(tops.max()), most
        if bound is not None and most <= bound + ALIKE:
            self.over += int((least > bound + ALIKE)[groups].sum())

    @property
    def attempts(self) -> Iterator[Attempt]:
        """The claims that were made, as attacks."""
        for name, right, plain, tried in (
            (MINIMALITY, self.right, self.plain, self.people),
            (SUREST, self.surest_right, self.surest_plain, self.classes),
        ):
            if tried:
                guessed = Rate(plain, tried)
                yield Attempt(INFERENCE, name, self.about, Rate(right, tried), None, guessed.share, guessed=guessed)

    def words(self, bound: float | None) -> str:
        """What the chances reveal beyond what the classes show."""
        text = (
            f"of {self.people:,} people in such classes, {self.raised:,} have a value of {self.about!r} more likely "
            "than their class shows of any value"
        )
        if bound is not None:
            text = f"{text}, {self.over:,} more likely than {bound:.3g} where the class shows none so often"
        if not self.raised:
            return text
        return f"{text}; the largest chance is {percent(self.largest)}, where the class shows {percent(self.shown)}"

    def as_json(self) -> dict[str, Any]:
        """The tally as part of a JSON document."""
        return {
            "about": self.about,
            "people": self.people,
            "raised": self.raised,
            "over_bound": self.over,
            "largest_chance": digits(self.largest) if self.raised else None,
            "shown_there": digits(self.shown) if self.raised else None,
        }


@dataclass
class ClassesSeen:
    """How many classes were examined, and why some give no claims.

    Of the ``looked_at`` classes with at least 2k records, the people of ``unknown`` ones are not certain, and
    ``several`` may be several classes with equal labels. ``barred`` classes could have been cut if only k were
    required; for ``undecided`` of these too few deals are left to estimate chances.
    """

    looked_at: int = 0
    unknown: int = 0
    several: int = 0
    barred: int = 0
    undecided: int = 0


@dataclass(frozen=True)
class MinimalityFinding:
    """What minimality reveals about a release of ``classes`` classes. The taxonomies of ``lacking`` columns are not
    known.
    """

    tallies: tuple[ColumnTally, ...]
    requirement: KnownRequirement
    classes: int = 0
    seen: ClassesSeen = field(default_factory=ClassesSeen)
    lacking: tuple[str, ...] = ()

    @property
    def attempts(self) -> Iterator[Attempt]:
        """The claims as attacks."""
        for one in self.tallies:
            yield from one.attempts

    @property
    def notes(self) -> Iterator[str]:
        """What was found and what was not tried, in words."""
        if not self.requirement.criteria:
            yield (
                "minimality was not tried, because the release had to meet nothing that reads sensitive values: k and "
                "suppression reveal nothing about them"
            )
            return
        yield from self.requirement.notes
        looked = f"{self.seen.looked_at:,} of {self.classes:,} classes were looked at"
        if not self.seen.barred:
            yield f"minimality tells nothing: {looked}, and none of them could have been cut if k alone were required"
        else:
            yield f"minimality: {looked}; {self.seen.barred:,} could have been cut if k alone were required"
        if self.seen.barred > self.seen.undecided:
            yield from (f"minimality: {one.words(self.requirement.bound)}" for one in self.tallies)
        if self.seen.undecided:
            yield (
                f"minimality: of {self.seen.undecided:,} of these classes too few ways to deal the values were found "
                "in which no cut is allowed; no claims were made about them, and what they give away may be more"
            )
        if self.seen.unknown:
            yield (
                f"minimality: it is not certain who is in {self.seen.unknown:,} classes of 2k records or "
                "more; no claims were made about them"
            )
        if self.seen.several:
            yield (
                f"minimality: {self.seen.several:,} classes of 2k records or more may be several that show the same "
                "labels; no claims were made about them"
            )
        if self.lacking:
            names = ", ".join(map(repr, self.lacking))
            yield (
                f"minimality: no taxonomy of {names} is known, so that cuts through its nodes were not weighed; name "
                "it with `--taxonomy COLUMN=FILE`"
            )

    def as_json(self) -> dict[str, Any]:
        """The finding as part of a JSON document."""
        return {
            "k": self.requirement.k,
            "requirements": [one.text for one in self.requirement.criteria],
            "bound": digits(self.requirement.bound),
            "classes": self.classes,
            **asdict(self.seen),
            "columns": [one.as_json() for one in self.tallies],
        }


def _right(chances: np.ndarray, truth: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The chance that each person's guess is right (people,): it is a random one of the likeliest values
    of the group.
    """
    best = chances >= chances.max(axis=1, keepdims=True) - ALIKE
    shares = best / best.sum(axis=1, keepdims=True)
    found: np.ndarray = np.where(truth >= 0, shares[groups, np.maximum(truth, 0)], 0.0)
    return found


def weigh_minimality(
    work: Database,
    placed: PlacedColumns,
    sensitive: Sequence[str],
    requirement: KnownRequirement,
    guesses: int,
    seed: int,
) -> MinimalityFinding:
    """Examine at most ``guesses`` classes, drawn by ``seed``, that could have been cut if only k were required.

    ``sensitive`` are the columns of the requirement. Raises AuditError for one that cannot be attacked.
    """
    random, known, sensitive_columns = np.random.default_rng(seed), placed.known, _sensitive_columns(placed, sensitive)
    if not requirement.criteria:
        return MinimalityFinding((), requirement)
    classes = ClassPeople(work, known, sensitive_columns, free=requirement.free)
    forget(work, ["numbered_values"])
    seen, tallies = ClassesSeen(), [ColumnTally(one.name) for one in sensitive_columns]
    for number in random.permutation(len(classes))[: LOOKED_AT * guesses]:
        if seen.barred == guesses:
            break
        seen.looked_at += 1
        if classes.records[number] < 2 * requirement.k:
            continue
        if not classes.known[number]:
            seen.unknown += 1
            continue
        one = classes.at(int(number))
        if classes.may_be_several(one, requirement.k, strict=requirement.strict):
            seen.several += 1
            continue
        barred = barred_cuts(classes.cuts(one, strict=requirement.strict), requirement.k)
        if barred:
            _weighed(one, barred, requirement, random, seen, tallies)
    lacking = tuple(one.name for one, order in zip(known, classes.columns, strict=True) if not order.placed)
    return MinimalityFinding(tuple(tallies), requirement, len(classes), seen, lacking)


def _sensitive_columns(placed: PlacedColumns, sensitive: Sequence[str]) -> list[AttackedColumn]:
    kept = placed.kept
    lacking = [name for name in sensitive if name not in kept]
    if lacking:
        raise AuditError(
            f"minimality cannot be tried: the release does not show {listed(lacking)} with the values of the original"
        )
    return [kept[name] for name in sensitive]


def barred_cuts(cuts: list[ClassCut], k: int) -> list[ClassCut]:
    """The cuts that are allowed if only k is required."""
    judge = CutJudge(k, (), ())
    return [cut for cut in cuts if judge.allows(cut, np.arange(len(cut.sides))[None]).all()]


def _weighed(
    one: KnownClass,
    barred: list[ClassCut],
    requirement: KnownRequirement,
    random: np.random.Generator,
    seen: ClassesSeen,
    tallies: list[ColumnTally],
) -> None:
    seen.barred += 1
    found = chances_of(CutJudge(requirement.k, requirement.criteria, one.sensitive_values), barred, random)
    if not found.sure:
        seen.undecided += 1
        return
    for tally, sensitive_values, chances, truth in zip(
        tallies, one.sensitive_values, found.chances, one.truth, strict=True
    ):
        shown = np.bincount(sensitive_values.codes) / len(sensitive_values.codes)
        concluded = np.tile(shown, (len(chances), 1)) if found.left == found.made else chances
        tally.add(found.groups, concluded, shown, truth, _noise(found, concluded), requirement.bound)


def _noise(found: DealtChances, chances: np.ndarray) -> np.ndarray:
    """How far chances estimated from drawn deals may be off: three standard errors."""
    if found.listed or found.left == found.made:
        return np.zeros_like(chances)
    noise: np.ndarray = 3 * np.sqrt(chances * (1 - chances) / found.left)
    return noise
