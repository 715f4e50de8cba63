"""Linkability: from a person whose quasi-identifiers are known to the person's row in the release.

Two ways to find the row: the nearest rows by Gower's distance (1971), and the rows of the highest match weight in the
record linkage model of Fellegi and Sunter (1969). If labels are nested, agreement with a narrow label is stronger
evidence than with a wide one, so each label has its own weight. The guess is a random one of the best rows: a record in
a class of ten is linked with a chance of one in ten. People outside the release have no row of their own, so both
attacks are compared with a guess among all rows instead of a control group.

With two sets of columns, each known from another source, a link is right if both lead to the same row (Giomi et al.
2023). This can happen for people outside the release too, which the control group measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonduck.attacks import people
from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.rates import Rate
from anonduck.database.connection import Database
from anonduck.statements import Statement, line, statement

STEPS, CONVERGED = 100, 1e-6
AGREEMENT, OWN_RATES = "agreement", "own_rates"
COVERED = 0.999  # m where it is not learned: how often a label covers the value of its own person


def nearest(work: Database, attributes: Sequence[AttackedColumn], known: Sequence[AttackedColumn]) -> Rate:
    """How many targets are linked to their own row by Gower's distance over the known columns."""
    work.run(_linked(attributes, known, known))
    return rate(work, "own")


def joined(
    work: Database,
    attributes: Sequence[AttackedColumn],
    first: Sequence[AttackedColumn],
    second: Sequence[AttackedColumn],
) -> Rate:
    """How many targets are linked to the same row by two sets of columns."""
    work.run(_linked(attributes, first, second))
    return rate(work, "same")


def probabilistic(work: Database, placed: PlacedColumns, rows: int) -> Rate:
    """How many targets are linked to their own row by match weights learned from these targets.

    If labels are nested, expectation and maximization may find similar people instead of pairs of one person, and count
    agreement against a pair (m < u). There m is not learned: a label covers the value of its own person (``COVERED``).
    """
    if placed.nested:
        return _by_label(work, placed)
    _link_best_matches(work, placed.attributes, placed.known, rows)
    return rate(work, "own")


def without_own_row(work: Database) -> float:
    """The share of targets that no row agrees with in everything, after ``nearest``, which would find such a row."""
    return rate(work, "without").share


def nearest_value(work: Database, known: Sequence[AttackedColumn], about: AttackedColumn) -> Rate:
    """How many targets have the value of one of the rows nearest to them."""
    work.run(_linked([about], known, known))
    return rate(work, "value")


def matched_value(work: Database, known: Sequence[AttackedColumn], about: AttackedColumn, rows: int) -> Rate:
    """How many targets have the value of one of the rows of the highest match weight."""
    _link_best_matches(work, [about], known, rows)
    return rate(work, "value")


def _link_best_matches(
    work: Database, attributes: Sequence[AttackedColumn], known: Sequence[AttackedColumn], rows: int
) -> None:
    """Write ``linked``: the rows of the highest match weight, one of ``rows`` being the person's own."""
    lists = {"attributes": items_of(attributes), "known": items_of(known)}
    work.run(statement("attacks/compared.sql", lists=lists))
    estimate_agreement(work, len(known), 1 / rows)
    try:
        work.run(statement("attacks/best_matches.sql"))
    finally:
        work.unregister(AGREEMENT)


def _by_label(work: Database, placed: PlacedColumns) -> Rate:
    import pandas as pd

    work.run(statement("attacks/label_weights.sql"), {"m": COVERED})
    found = people.own_rates(work, placed)
    with work.registered(OWN_RATES, pd.DataFrame({"class": found.classes, "rate": found.rates})):
        lists = {"attributes": items_of(placed.attributes), "known": items_of(placed.known)}
        work.run(statement("attacks/weighed.sql", lists=lists))
        return rate(work, "own")


def estimate_agreement(work: Database, columns: int, prior: float) -> list[dict[str, Any]]:
    """Estimate m and u of each compared column by expectation and maximization; registers them as ``agreement``.

    ``prior`` is the share of pairs that are of one person; u stays the share of all pairs that agree.
    """
    import pandas as pd

    text = "SELECT pattern, sum(records)::DOUBLE AS records FROM compared GROUP BY pattern ORDER BY pattern"
    patterns = work.frame(line("attacks/linkability.estimate_agreement", text))
    found = work.records(statement("attacks/agreement_start.sql"), {"columns": columns})
    agrees = (patterns["pattern"].to_numpy(np.int64)[:, None] >> np.array([one["place"] for one in found])) & 1 == 1
    records, u = patterns["records"].to_numpy(np.float64), np.array([one["u"] for one in found])
    after = np.array([one["m"] for one in found])
    for step in range(STEPS):
        before, after = after, _maximized(agrees, records, after, u, prior)
        if step and np.abs(after - before).max() < CONVERGED:
            break
    estimated = [{**one, "m": float(m)} for one, m in zip(found, after, strict=True)]
    work.register(AGREEMENT, pd.DataFrame(estimated))
    return estimated


def _maximized(agrees: np.ndarray, records: np.ndarray, m: np.ndarray, u: np.ndarray, prior: float) -> np.ndarray:
    """One step: the share of pairs that agree among those of one person, each pair counted by how likely it is one.

    It is never less than u: records of one person agree at least as often as others do, so that agreement never counts
    against a pair (Winkler 1993). ``agrees`` is of shape (patterns, columns), ``records`` (patterns,), all else
    (columns,).
    """
    matched = prior * np.exp(np.where(agrees, np.log(m), np.log1p(-m)).sum(axis=1))
    unmatched = (1 - prior) * np.exp(np.where(agrees, np.log(u), np.log1p(-u)).sum(axis=1))
    pairs = records * matched / (matched + unmatched)
    found: np.ndarray = np.maximum(np.minimum(pairs @ agrees / pairs.sum(), 1 - 1e-6), u)
    return found


def rate(work: Database, right: str) -> Rate:
    """The share of targets that a column of sql/attacks/links.sql counts: ``own``, ``value``, ``same`` or
    ``without``.
    """
    found = work.records(statement("attacks/links.sql"))[0]
    return Rate(found[right], found["attacked"])


def _linked(
    attributes: Sequence[AttackedColumn], first: Sequence[AttackedColumn], second: Sequence[AttackedColumn]
) -> Statement:
    columns = {"attributes": attributes, "first_columns": first, "second_columns": second}
    return statement("attacks/linked.sql", lists={name: items_of(held) for name, held in columns.items()})
