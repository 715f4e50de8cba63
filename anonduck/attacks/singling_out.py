"""Singling out: combinations of released values that hold for exactly one original record.

After the predicate attacks of Cohen and Nissim (2020) and the multivariate singling out of Giomi et al. (2023): the
attacker takes the rarest rows of the release and claims that just one person fits each. The baseline claims random
combinations, each value drawn independently.
"""

from __future__ import annotations

from anonduck.attacks.knowledge import CONTROL, ORIGINAL, PLACED, PlacedColumns
from anonduck.attacks.rates import Rate
from anonduck.database.connection import Database
from anonduck.privacy.relations import forget
from anonduck.statements import builder_attack, statement


def single_out(work: Database, placed: PlacedColumns, guesses: int, seed: int, *, control: bool) -> dict[str, Rate]:
    """The rates of predicates that hold for one record: ``original``, ``control`` and ``baseline``."""
    given = {"seed": seed, "limit": guesses}
    labels = {one.number: placed.labels[one.number] for one in placed.attributes}
    work.run(builder_attack.random_predicates(labels), given)
    found = {"baseline": _isolated(work, placed, ORIGINAL)}
    work.run(statement("attacks/rarest.sql"), given)
    found["original"] = _isolated(work, placed, ORIGINAL)
    if control:
        found["control"] = _isolated(work, placed, CONTROL)
    forget(work, ["predicates"])
    return found


def _isolated(work: Database, placed: PlacedColumns, table: str) -> Rate:
    tried, right = work.row(builder_attack.isolated(placed.attributes, PLACED[table]))
    return Rate(right, tried)
