"""Utility measures of a rule: what a release by it no longer tells, from the frequency set in SQL.

Measures that are sums over cells are asked once for each attribute and level and added up for a rule; measures of
equivalence classes are one query for each rule. An attribute that a rule leaves out counts as at its root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

from anonduck.database.connection import Database
from anonduck.rules.measure_names import DEFAULT_UTILITY
from anonduck.rules.rounding import DIGITS
from anonduck.statements import Statement, statement
from anonduck.statements.pipeline.builder_frequency import CLASS, code_column
from anonduck.taxonomy.catalog import Taxonomy

LevelsByName = Mapping[str, int]


class UtilityMeasurer:
    """Measures rules on one coded frequency set; what rules share is asked once.

    ``cells`` names the table of the records that are released; ``suppressed`` is how many records were left out of it.
    Those are charged as if all their values were at the root in ``loss``, ``ncp``, ``precision`` and ``distortion``, as
    many as there are records in ``discernibility``, and one each in ``classification_metric``; the other measures
    describe the released records. ``k`` is what ``average_class_size`` divides by; ``weights`` are those of
    ``distortion`` by attribute, 1 where none is given.
    """

    def __init__(
        self,
        database: Database,
        taxonomies: Mapping[str, Taxonomy],
        *,
        k: int,
        weights: Mapping[str, float] | None = None,
        cells: str = "coded_frequency_set",
        suppressed: int = 0,
    ) -> None:
        self.database = database
        self.taxonomies = taxonomies
        self.k = k
        self.weights = weights or {}
        self.cells = cells
        self.suppressed = suppressed
        self._known: dict[tuple[str, ...], float] = {}
        self.released = int(self.ask("records"))
        self.records = self.released + suppressed

    def __call__(self, levels: LevelsByName, names: Iterable[str] = DEFAULT_UTILITY) -> dict[str, float]:
        """The named measures of a rule."""
        return {name: round(_MEASURES[name](self, levels), DIGITS) for name in names}

    def level(self, name: str, levels: LevelsByName) -> int:
        """The level of an attribute under a rule: that of the root where the rule does not name it."""
        return levels.get(name, self.taxonomies[name].root)

    def ask(
        self,
        name: str,
        values: Mapping[str, object] | None = None,
        *,
        columns: Mapping[str, list[str]] | None = None,
        column: Mapping[str, str] | None = None,
    ) -> float:
        """The one number of a query of sql/measures."""
        query: Statement = statement(
            f"measures/{name}.sql", columns=columns, column=column, table={"cells": self.cells}
        )
        return float(self.database.value(query, values))

    def once(self, key: tuple[str, ...], number: Callable[[], float]) -> float:
        """A number that several rules share."""
        if key not in self._known:
            self._known[key] = number()
        return self._known[key]

    def of_classes(self, name: str, levels: LevelsByName, values: Mapping[str, object] | None = None) -> float:
        """The number of a query about the equivalence classes of a rule."""
        attributes = [code_column(attribute, self.level(attribute, levels)) for attribute in self.named(levels)]
        return self.ask(name, values, columns={"attributes": attributes})

    def named(self, levels: LevelsByName) -> list[str]:
        """The attributes that a rule keeps under their root."""
        return [name for name in self.taxonomies if self.level(name, levels) < self.taxonomies[name].root]


# -- sums over cells ---------------------------------------------------------------------------------------------------

CellCost = Callable[[UtilityMeasurer, str, int], float]


def _cost(measurer: UtilityMeasurer, of: CellCost, name: str, levels: LevelsByName) -> float:
    """The cost of one attribute over the released records: nothing at level 0."""
    level = measurer.level(name, levels)
    return measurer.once((of.__name__, name, str(level)), lambda: of(measurer, name, level)) if level else 0.0


def _at_root(measurer: UtilityMeasurer, name: str, level: int) -> bool:
    return level >= measurer.taxonomies[name].root


def _nodes(name: str, level: int) -> dict[str, str]:
    return {"leaf": code_column(name, 0), "node": code_column(name, level)}


def _loss_cost(measurer: UtilityMeasurer, name: str, level: int) -> float:
    if _at_root(measurer, name, level):
        return measurer.released
    return measurer.ask("loss", {"column_name": name, "level": level}, column=_nodes(name, level))


def _ncp_cost(measurer: UtilityMeasurer, name: str, level: int) -> float:
    if _at_root(measurer, name, level):
        return measurer.released
    values = {"column_name": name, "level": level, "ordered": measurer.taxonomies[name].ordered}
    return measurer.ask("ncp", values, column=_nodes(name, level))


def _height_cost(measurer: UtilityMeasurer, name: str, level: int) -> float:
    if _at_root(measurer, name, level):
        return measurer.released
    return measurer.ask("height", {"level": level, "root": measurer.taxonomies[name].root}, column=_nodes(name, level))


def _entropy_cost(measurer: UtilityMeasurer, name: str, level: int) -> float:
    nodes = [] if _at_root(measurer, name, level) else [code_column(name, level)]
    return measurer.ask("nonuniform_entropy", column={"leaf": code_column(name, 0)}, columns={"nodes": nodes})


def _covered_cost(measurer: UtilityMeasurer, name: str, level: int) -> float:
    if _at_root(measurer, name, level):
        return measurer.ask("covered_leaves_root", {"column_name": name}, column={"leaf": code_column(name, 0)})
    return measurer.ask("covered_leaves", {"column_name": name, "level": level}, column=_nodes(name, level))


def _mean(of: CellCost) -> Callable[[UtilityMeasurer, LevelsByName], float]:
    """The mean of a cost over all cells of the table, those of suppressed records at 1."""

    def measured(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
        total = sum(_cost(measurer, of, name, levels) + measurer.suppressed for name in measurer.taxonomies)
        cells = measurer.records * len(measurer.taxonomies)
        return total / cells if cells else 0.0

    return measured


def _precision(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    return 1.0 - _mean(_height_cost)(measurer, levels)


def _distortion(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    return sum(
        measurer.weights.get(name, 1.0) * (_cost(measurer, _height_cost, name, levels) + measurer.suppressed)
        for name in measurer.taxonomies
    )


def _nonuniform_entropy(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    return max(0.0, sum(_cost(measurer, _entropy_cost, name, levels) for name in measurer.taxonomies))


# -- equivalence classes -----------------------------------------------------------------------------------------------


def _discernibility(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    return measurer.of_classes("discernibility", levels) + measurer.suppressed * measurer.records


def _average_class_size(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    return measurer.of_classes("average_class_size", levels, {"k": measurer.k})


def _classification_metric(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    penalty = measurer.of_classes("classification_metric", levels) + measurer.suppressed
    return penalty / measurer.records if measurer.records else 0.0


def _kl_divergence(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    """In bits: the mean over records of log2(n(leaves, class) * leaves covered / n(nodes, class))."""
    if not measurer.released:
        return 0.0
    leaves = [code_column(name, 0) for name in measurer.taxonomies]
    original = measurer.once(("n_log_n",), lambda: measurer.ask("n_log_n", columns={"attributes": leaves}))
    covered = sum(_cost(measurer, _covered_cost, name, levels) for name in measurer.taxonomies)
    return max(0.0, (original + covered - measurer.of_classes("n_log_n", levels)) / measurer.released)


# -- pairs of columns --------------------------------------------------------------------------------------------------


def _mutual_information_loss(measurer: UtilityMeasurer, levels: LevelsByName) -> float:
    """1/m times the sum over columns of the mean mutual information with the others that each loses, in bits."""
    before = {name: code_column(name, 0) for name in measurer.taxonomies}
    after = {name: code_column(name, measurer.level(name, levels)) for name in measurer.named(levels)}
    pairs = list(combinations([*before, None], 2))
    return sum(_information(measurer, before, pair) - _information(measurer, after, pair) for pair in pairs) / len(
        pairs
    )


def _information(measurer: UtilityMeasurer, codes: Mapping[str, str], pair: tuple[str | None, str | None]) -> float:
    """The mutual information of two columns (None is the class); nothing where one of them is left out."""
    one, other = (CLASS if name is None else codes.get(name) for name in pair)
    if one is None or other is None:
        return 0.0
    column = {"one_attribute": one, "other_attribute": other}
    return measurer.once(("information", one, other), lambda: measurer.ask("mutual_information", column=column))


_MEASURES: dict[str, Callable[[UtilityMeasurer, LevelsByName], float]] = {
    "loss": _mean(_loss_cost),
    "ncp": _mean(_ncp_cost),
    "precision": _precision,
    "distortion": _distortion,
    "nonuniform_entropy": _nonuniform_entropy,
    "discernibility": _discernibility,
    "average_class_size": _average_class_size,
    "classification_metric": _classification_metric,
    "kl_divergence": _kl_divergence,
    "mutual_information_loss": _mutual_information_loss,
}
