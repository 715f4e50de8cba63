"""Record linkage by Splink, if it is installed: the model of ``linkability`` with levels of agreement.

Splink (Linacre et al. 2022) weighs how much two records agree. Here it compares targets with the classes of the
release: a label covers the value, an interval is near it, or neither. It learns from random pairs how often unrelated
records agree (u). How often those of one person agree (m) is fixed, because a label covers the value of its own person:
expectation and maximization cannot estimate m from few columns, and fails in Splink if all pairs of one person agree.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Sequence
from typing import Any

from anonduck.attacks import linkability
from anonduck.attacks.attacked_columns import AttackedColumn, items_of
from anonduck.attacks.knowledge import PlacedColumns
from anonduck.attacks.rates import Rate
from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy.relations import forget
from anonduck.statements import line, statement
from anonduck.statements.template import temporary_table_of

NEAR = 0.1  # intervals within this share of a column's span agree at a lower level
MOST_PAIRS = 5_000_000  # of targets and classes; above it fewer targets are attacked
FEWEST_TARGETS = 20
SAMPLED_PAIRS = 1_000_000
MADE = ("splink_members", "splink_rows", "splink_targets", "splink_own")
LACKING = "record linkage with Splink was not tried, because it is not installed: pip install 'anonduck[attack]'"
ALIKE = "record linkage with Splink was not tried, because all released rows look alike in what is known"


def installed() -> bool:
    """Whether Splink is installed."""
    return importlib.util.find_spec("splink") is not None


def chosen(wanted: bool | None) -> bool:
    """Whether to use Splink: as ``wanted``, or if it is installed. Raises AuditError if it is wanted and
    not installed.
    """
    if wanted and not installed():
        raise AuditError(LACKING)
    return installed() if wanted is None else wanted


def compared(placed: PlacedColumns) -> tuple[AttackedColumn, ...]:
    """The known columns with more than one released label."""
    return tuple(one for one in placed.known if placed.labels[one.number] > 1)


def link(work: Database, placed: PlacedColumns, guesses: int, seed: int) -> Rate:
    """How many targets are linked to their own row by a model that Splink learns from these targets.

    At most ``MOST_PAIRS`` pairs are compared, so with many classes fewer than ``guesses`` targets are attacked.
    """
    known = compared(placed)
    lists = {"known": items_of(known), "lined": items_of([one for one in known if one.span])}
    text = "SELECT class, dense_rank() OVER (ORDER BY each(known, l_{number})) AS member FROM released_rows"
    members = line("attacks/splink_linkage.link", text, known=lists["known"])
    work.run(temporary_table_of("splink_members", members))
    work.run(statement("attacks/splink_rows.sql", lists=lists))
    classes = work.count("splink_rows")
    most = min(guesses, max(FEWEST_TARGETS, MOST_PAIRS // classes))
    work.run(statement("attacks/splink_targets.sql", lists=lists), {"limit": most})
    work.run(statement("attacks/splink_own.sql", lists={"attributes": items_of(placed.attributes)}))
    try:
        _predict(work, known, classes, seed)
        return linkability.rate(work, "own")
    finally:
        forget(work, MADE)


def _predict(work: Database, known: Sequence[AttackedColumn], classes: int, seed: int) -> None:
    """Weigh all pairs, and make ``linked`` from the best ones."""
    from splink import DuckDBAPI, Linker

    api = DuckDBAPI(work.lent())
    tables = [
        api.register("splink_targets", dataset_display_name="a_targets"),
        api.register("splink_rows", dataset_display_name="b_rows"),
    ]
    try:
        linker = Linker(tables, _settings(known, classes), log_level=logging.CRITICAL)
        linker.training.estimate_u_using_random_sampling(max_pairs=SAMPLED_PAIRS, seed=seed + 1)
        predicted = linker.inference.predict()
        work.run(statement("attacks/splink_matches.sql", table={"predicted": predicted.physical_name}))
    finally:
        api.delete_tables_created_by_splink_from_db()


def _settings(known: Sequence[AttackedColumn], classes: int) -> Any:
    from splink import SettingsCreator

    return SettingsCreator(
        link_type="link_only",
        comparisons=[_comparison(one) for one in known],
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1 / max(classes, 2),
        retain_matching_columns=False,
    )


def _comparison(one: AttackedColumn) -> dict[str, Any]:
    """The levels of agreement in a column, as Splink takes them: its SQL names the sides of a pair by _l and _r."""
    name = f"l_{one.number}"
    same = f"list_has_any({name}_l, {name}_r)" if one.several else f"{name}_l = {name}_r"
    levels: list[dict[str, Any]] = [
        {"sql_condition": f"{name}_l IS NULL", "label_for_charts": "unknown", "is_null_level": True},
        {"sql_condition": same, "label_for_charts": "the label covers the value", "m_probability": linkability.COVERED},
    ]
    if one.span:
        ends = (f"lower_{one.number}_l - upper_{one.number}_r", f"lower_{one.number}_r - upper_{one.number}_l")
        near = f"greatest({ends[0]}, {ends[1]}) <= {NEAR * one.span!r}"
        levels.append(
            {"sql_condition": near, "label_for_charts": "near", "m_probability": (1 - linkability.COVERED) / 2}
        )
    rest = 1 - sum(level.get("m_probability", 0.0) for level in levels)
    levels.append({"sql_condition": "ELSE", "label_for_charts": "neither", "m_probability": rest})
    return {"output_column_name": name, "comparison_levels": levels}
