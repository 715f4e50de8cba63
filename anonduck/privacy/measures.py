"""Measure all models for which the inputs are given, from the tables of one scan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any

from anonduck.database.connection import Database
from anonduck.errors import AuditError
from anonduck.privacy import audited_tables, relations
from anonduck.privacy.audited_tables import quasi_names, sensitive_names
from anonduck.privacy.chosen_values import EVERY, ValueChoices
from anonduck.privacy.definition import INPUTS, PrivacyModel
from anonduck.privacy.kept_columns import KEPT_RARE, KeptColumns
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import Criterion, finite, plain
from anonduck.privacy.uniqueness import population_uniqueness
from anonduck.rules.rounding import rounded
from anonduck.statements import Statement, statement

if TYPE_CHECKING:
    import pandas as pd

Numbers = Mapping[str, float]
ModelParameters = Mapping[str, float | None]


@dataclass(frozen=True)
class ReleaseContext:
    """What is known of a release beside its ``quasi_identifiers`` (their number).

    ``paths`` holds the taxonomies of sensitive attributes. A record is at risk over ``risk_threshold``. ``joint``
    treats the other sensitive attributes as quasi-identifiers if a model allows it. With an earlier release, pairs of
    classes with fewer than ``composed_under`` persons are counted; ``composed_exactly``: it is known who is in both.
    ``chosen`` gives the values that bounds of single values count, by sensitive attribute, ``orders`` their
    declared orders. ``persons``: the file has a
    key of persons. ``kept`` are the figures of kept columns, if they are required.
    """

    quasi_identifiers: int
    sensitive: tuple[str, ...] = ()
    population: bool = False
    paths: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sampling_fraction: float | None = None
    risk_threshold: float = 0.2
    joint: bool = False
    composed_under: int | None = None
    composed_exactly: bool = False
    chosen: ValueChoices = field(default_factory=dict)
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    persons: bool = False
    kept: KeptColumns | None = None

    @property
    def jointly(self) -> bool:
        """Whether there are other sensitive attributes to treat as quasi-identifiers."""
        return self.joint and len(self.sensitive) > 1

    @property
    def inputs(self) -> frozenset[str]:
        """The names of the inputs that are given."""
        there = {
            "sensitive": bool(self.sensitive),
            "order": bool(self.sensitive),  # the data show whether values have one
            "taxonomy": bool(self.paths),
            "population": self.population,
            "earlier": self.composed_under is not None,
            "sampling_fraction": self.sampling_fraction is not None,
            "entity": self.persons,
            "kept": self.kept is not None,
        }
        return frozenset(name for name, given in there.items() if given)


@dataclass(frozen=True)
class PrivacyMeasure:
    """What a release reaches in one model: its bounds, also by sensitive attribute, and the other columns of its query.

    ``upper`` is an upper bound of the number, if the number is only a lower bound.
    """

    model: PrivacyModel
    numbers: Numbers
    parameters: Mapping[str, float] = field(default_factory=dict)
    attributes: Mapping[str, Numbers] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    upper: float | None = None

    @property
    def worst(self) -> str | None:
        """The sensitive attribute that reaches the worst number, the first of ties; None if there are not several."""
        if len(self.attributes) < 2:
            return None
        alike = [name for name, numbers in self.attributes.items() if numbers == self.numbers]
        return alike[0] if alike else None

    def as_json(self) -> dict[str, Any]:
        """The measure as part of a JSON document."""
        document: dict[str, Any] = {"reached": finite(plain(self.numbers))}
        if self.model.at_most:
            document["at_most"] = True
        if self.upper is not None:
            document["upper_bound"] = finite(self.upper)
        if self.parameters:
            document["parameters"] = dict(self.parameters)
        if self.attributes:
            document["attributes"] = {name: finite(plain(numbers)) for name, numbers in self.attributes.items()}
        return document | {name: finite(value) for name, value in self.details.items()}


def measure(
    work: Database, given: ReleaseContext, asked: Sequence[Criterion], *, everything: bool
) -> dict[str, PrivacyMeasure]:
    """Measure the ``asked`` criteria, and with ``everything`` all other models for which the inputs are given.

    The tables of ``anonduck.privacy.relations`` must exist. Raises AuditError if a criterion cannot be measured.
    """
    parameters: dict[str, ModelParameters] = {one.model.name: one.parameters for one in asked}
    if everything:
        parameters = {name: model.defaults for name, model in MODELS.items()} | parameters
    else:
        always = {"composition": given.composed_under is not None, "linked_k": given.persons}
        parameters = {name: {} for name, there in always.items() if there} | parameters
    _refuse_lacking(asked, given.inputs)
    wanted = [(model, parameters[name]) for name, model in MODELS.items() if name in parameters]
    alone = [model for model, _ in wanted if model.needs <= given.inputs - {"sensitive"}]
    measured = {model.name: _READ_OFF[model.reads](work, model, given) for model in alone}
    found = {name: one for name, one in measured.items() if one is not None}
    found |= _by_attribute(work, given, [(m, chosen) for m, chosen in wanted if "sensitive" in m.needs])
    refuse_unmeasured(asked, found)
    return {name: found[name] for name in MODELS if name in found}


def _refuse_lacking(asked: Sequence[Criterion], inputs: frozenset[str]) -> None:
    for one in asked:
        lacking = [words for name, words in INPUTS.items() if name in one.model.needs - inputs]
        if lacking:
            raise AuditError(f"the requirement {one.model.name} needs {' and '.join(lacking)}; none is given")


def refuse_unmeasured(asked: Sequence[Criterion], found: Collection[str]) -> None:
    """Raise AuditError for the first criterion that is not among the measures ``found``."""
    for one in asked:
        if one.model.name not in found:
            why = " and ".join(words for name, words in INPUTS.items() if name in one.model.needs)
            estimated = ", and its estimates a solution" if "sampling_fraction" in one.model.needs else ""
            raise AuditError(
                f"the requirement {one.model.name} cannot be measured on this release; it needs {why}{estimated}"
            )


# -- classes -----------------------------------------------------------------------------------------------------------


def _from_classes(work: Database, model: PrivacyModel, given: ReleaseContext) -> PrivacyMeasure | None:
    query = statement(f"privacy/{model.name}.sql", table={"classes": relations.CLASSES})
    row = work.records(query, {"threshold": given.risk_threshold} if "threshold" in query.parameters else None)[0]
    parameters = {"threshold": given.risk_threshold} if "threshold" in query.parameters else {}
    return _measured(model, row, parameters)


def _from_sizes(work: Database, model: PrivacyModel, given: ReleaseContext) -> PrivacyMeasure | None:
    assert given.sampling_fraction is not None
    sizes = dict(work.rows(statement("privacy/sizes.sql", table={"classes": relations.CLASSES})))
    return _measured(model, population_uniqueness(sizes, given.sampling_fraction), {})


def _from_persons(work: Database, model: PrivacyModel, given: ReleaseContext) -> PrivacyMeasure | None:
    return _measured(model, relations.count_linked(work, given.quasi_identifiers), {})


def _from_overlaps(work: Database, model: PrivacyModel, given: ReleaseContext) -> PrivacyMeasure | None:
    query = statement("privacy/composition.sql", table={"overlapping": relations.OVERLAPS})
    row = work.records(query, {"under": given.composed_under})[0]
    found = row.pop("composition"), row.pop("bound")
    true, bound = (inf if number is None else number for number in found)  # infinite if nobody can be in both
    least = true if given.composed_exactly else 1  # a pair of classes with a common person has at least one
    details = {**row, "composition": least, "under": given.composed_under, "exact": given.composed_exactly}
    measured = _measured(model, details, {})
    return measured if measured is None or given.composed_exactly else replace(measured, upper=bound)


def _from_kept(work: Database, model: PrivacyModel, given: ReleaseContext) -> PrivacyMeasure | None:
    assert given.kept is not None
    by_column = {name: {KEPT_RARE: records} for name, records in given.kept.rare.items()}
    return PrivacyMeasure(model, {KEPT_RARE: given.kept.most}, {}, by_column, {"under": given.kept.under})


def _measured(model: PrivacyModel, row: Mapping[str, Any], parameters: Mapping[str, float]) -> PrivacyMeasure | None:
    numbers = {bound.name: rounded(row[bound.name]) for bound in model.bounds}
    if None in numbers.values():
        return None
    details = {name: rounded(value) for name, value in row.items() if name not in numbers}
    return PrivacyMeasure(model, numbers, parameters, details=details)


_READ_OFF: Mapping[str, Callable[[Database, PrivacyModel, ReleaseContext], PrivacyMeasure | None]] = {
    "classes": _from_classes,
    "sizes": _from_sizes,
    "persons": _from_persons,
    "overlaps": _from_overlaps,
    "kept": _from_kept,
}


# -- sensitive attributes ----------------------------------------------------------------------------------------------

WantedModels = Sequence[tuple[PrivacyModel, ModelParameters]]


def _by_attribute(work: Database, given: ReleaseContext, wanted: WantedModels) -> dict[str, PrivacyMeasure]:
    """Each model on each sensitive attribute; the worst attribute counts."""
    if not wanted:
        return {}
    reached: dict[str, dict[str, Mapping[str, Any]]] = {model.name: {} for model, _ in wanted}
    names = sensitive_names(len(given.sensitive))
    for column, name in zip(given.sensitive, names, strict=True):
        tables = attribute_tables(work, given, column, name, [model for model, _ in wanted])
        for model, parameters in wanted:
            if set(model.tables) <= tables:
                attribute = SensitiveAttribute(name, bound_tables(model, given), given.quasi_identifiers, given.persons)
                row = _READS[model.reads](work, model, parameters, attribute)
                reached[model.name][column] = {key: rounded(value) for key, value in row.items()}
    return {
        model.name: worst_attribute(model, parameters, reached[model.name])
        for model, parameters in wanted
        if reached[model.name]
    }


def bound_tables(model: PrivacyModel, given: ReleaseContext) -> dict[str, str]:
    """The tables that a model's query reads; the joint cells if asked and the model allows it."""
    cells = relations.JOINT_CELLS if given.jointly and model.joint else relations.CELLS
    return {table: cells if table == relations.CELLS else table for table in model.tables}


def attribute_tables(
    work: Database, given: ReleaseContext, column: str, attribute: str, models: Sequence[PrivacyModel]
) -> set[str]:
    """Make the tables that the models read of one attribute; returns the names of the tables that exist."""
    read = {table for model in models for table in model.tables}
    tables = set()
    if read:
        relations.make_cells(work, attribute, given.chosen.get(column, EVERY), persons=given.persons)
        tables.add(relations.CELLS)
        if given.jointly:
            sizes = given.quasi_identifiers, len(given.sensitive)
            relations.make_joint_cells(work, *sizes, attribute, persons=given.persons)
    if relations.RANKS in read and relations.make_ranks(work, column, given.orders.get(column, ())):
        tables.add(relations.RANKS)
    if relations.PATHS in read and column in given.paths:
        relations.make_paths(work, column, given.paths[column])
        tables.add(relations.PATHS)
    return tables


def worst_attribute(
    model: PrivacyModel, parameters: ModelParameters, reached: Mapping[str, Mapping[str, Any]]
) -> PrivacyMeasure:
    """What a model reaches in the worst of the sensitive attributes; ``reached`` has the numbers of each."""
    numbers = {column: {bound.name: row[bound.name] for bound in model.bounds} for column, row in reached.items()}
    others = {name: value for name, value in parameters.items() if value is not None}
    details = {}
    if len(reached) == 1:
        (row,) = reached.values()
        details = {name: value for name, value in row.items() if name not in {bound.name for bound in model.bounds}}
    return PrivacyMeasure(model, model.worst(list(numbers.values())), others, numbers, details)


@dataclass(frozen=True)
class SensitiveAttribute:
    """The sensitive attribute being measured: its name in the tables, and the tables that models read."""

    name: str
    tables: Mapping[str, str]
    quasi_identifiers: int
    persons: bool = False


def _from_cells(
    work: Database, model: PrivacyModel, parameters: ModelParameters, attribute: SensitiveAttribute
) -> Mapping[str, Any]:
    query = statement(f"privacy/{model.name}.sql", table=attribute.tables)
    worst = audited_tables.worst(query, at_most=model.at_most)
    return {model.bounds[0].name: work.value(worst, parameters)}


def _from_summary(
    work: Database, model: PrivacyModel, _: ModelParameters, attribute: SensitiveAttribute
) -> Mapping[str, Any]:
    return work.records(statement(f"privacy/{model.name}.sql", table=attribute.tables))[0]


def _from_subsets(
    work: Database, model: PrivacyModel, parameters: ModelParameters, attribute: SensitiveAttribute
) -> Mapping[str, Any]:
    """LKC over the largest subsets only: a smaller subset has larger groups, and mixing groups raises no share.

    That does not hold for persons, who can be in several of the mixed groups; for them smaller subsets are measured
    too.
    """
    most = min(int(parameters["l"] or 0), attribute.quasi_identifiers)
    names = quasi_names(attribute.quasi_identifiers)
    sizes = range(most + 1) if attribute.persons else [most]
    shared = _shared_of_persons if attribute.persons else _shared
    queries = [shared(attribute, subset) for size in sizes for subset in combinations(names, size)]
    return model.worst([work.records(query)[0] for query in queries])


def _shared(attribute: SensitiveAttribute, subset: Sequence[str]) -> Statement:
    tables = {"named_classes": relations.NAMED, **attribute.tables}
    return statement("privacy/shared.sql", columns={"attributes": subset}, table=tables)


def _shared_of_persons(attribute: SensitiveAttribute, subset: Sequence[str]) -> Statement:
    tables = {"named_classes": relations.NAMED, "numbered_set": relations.NUMBERED, **attribute.tables}
    return statement(
        "privacy/shared_of_persons.sql",
        columns={"attributes": subset},
        column={"sensitive": attribute.name},
        table=tables,
    )


Reads = Callable[[Database, PrivacyModel, ModelParameters, SensitiveAttribute], Mapping[str, Any]]
_READS: Mapping[str, Reads] = {"cells": _from_cells, "summary": _from_summary, "subsets": _from_subsets}
