"""Minimality: what classes tell by not having been cut.

After Wong, Fu, Wang and Pei (2007), "Minimality attack in privacy preserving data publishing". Somebody knows
everybody's quasi-identifiers, the taxonomies, the method and what was required. Where a class could have been cut if k
alone were required, and was not, each such cut must have missed what is required of sensitive values. Of all ways to
deal the values of the class to its people, only those are left; the chance that a person has a value is its share of
these.

Two claims are made of that:

- the likeliest value of each person, beside the most frequent value of the class for the same people;
- that of the one person of whose value the attacker is surest, in each class where somebody's chance of a value is
  larger than the class shows of any, beside the most frequent value of the class for any one of its people.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonduck.attacks.class_people import ClassPeople, KnownClass
from anonduck.attacks.cuts import ClassCut, CutJudge
from anonduck.attacks.deals import DealtChances, chances_of
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.known_requirement import KnownRequirement
from anonduck.attacks.minimality_finding import ClassesSeen, ColumnTally, MinimalityFinding
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.audited_file import listed
from anonduck.statements import statement
from anonduck.statements.builder_attack import AttackedColumn

LOOKED_AT = 20  # times as many classes as there are claims are looked at


def weigh_minimality(
    work: Database,
    placed: PlacedColumns,
    sensitive: Sequence[str],
    requirement: KnownRequirement,
    guesses: int,
    seed: int,
) -> MinimalityFinding:
    """Weigh the cuts of at most ``guesses`` classes that k alone would have allowed, drawn by ``seed``.

    ``sensitive`` are the columns that the requirement is on; raises AuditError for one that cannot be attacked.
    """
    random, known, secret = np.random.default_rng(seed), placed.known, _secret(placed, sensitive)
    if not requirement.criteria:
        return MinimalityFinding((), requirement)
    classes = ClassPeople(work, known, secret, free=requirement.free)
    work.run(statement("attacks/forget.sql", table={"made": "numbered_values"}))
    seen, tallies = ClassesSeen(), [ColumnTally(one.name) for one in secret]
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


def _secret(placed: PlacedColumns, sensitive: Sequence[str]) -> list[AttackedColumn]:
    kept = {one.name: one for one in placed.attributes if one.kept}
    lacking = [name for name in sensitive if name not in kept]
    if lacking:
        raise AuditError(
            f"minimality cannot be tried: the release does not show {listed(lacking)} with the values of the original"
        )
    return [kept[name] for name in sensitive]


def barred_cuts(cuts: list[ClassCut], k: int) -> list[ClassCut]:
    """The cuts that are allowed where k alone is required."""
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
    found = chances_of(CutJudge(requirement.k, requirement.criteria, one.secrets), barred, random)
    if not found.sure:
        seen.undecided += 1
        return
    for tally, secrets, chances, truth in zip(tallies, one.secrets, found.chances, one.truth, strict=True):
        shown = np.bincount(secrets.codes) / len(secrets.codes)
        told = np.tile(shown, (len(chances), 1)) if found.left == found.made else chances
        tally.add(found.groups, told, shown, truth, _noise(found, told), requirement.bound)


def _noise(found: DealtChances, chances: np.ndarray) -> np.ndarray:
    """How far chances that were counted in drawn deals may be off: three standard errors."""
    if found.listed or found.left == found.made:
        return np.zeros_like(chances)
    noise: np.ndarray = 3 * np.sqrt(chances * (1 - chances) / found.left)
    return noise
