"""The measures of a release, derived from the written file alone.

The audit reads nothing but the file: no config, no taxonomy, no decision database, and none of the code that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonduck.audit_report import AuditReport, ClassSizes
from anonduck.audited_file import listed, open_release
from anonduck.database import Database
from anonduck.database_trace import Tracer
from anonduck.errors import AuditError
from anonduck.presets import PRESETS
from anonduck.privacy import Asked, Measured, Reached, ask, composition, measure, relations
from anonduck.privacy.asking import Required
from anonduck.privacy.choosing import Chosen, absent_words, choose, occurring, refuse_unbound
from anonduck.privacy.lookup import paths
from anonduck.privacy.measuring import Given
from anonduck.statements import statement
from anonduck.statements.builder_privacy import sensitive_names

RISK_THRESHOLD = 0.2
NEARLY_UNIQUE = 0.9
FEWEST_ROWS = 20  # under it, that values differ says nothing


def audit(
    target: str | Path | object,
    quasi_identifiers: Sequence[str] | None = None,
    *,
    sensitive: Sequence[str] = (),
    class_: str | None = None,
    requirements: Mapping[str, Required] | None = None,
    insensitive: Sequence[str] = (),
    entity: str | None = None,
    population: str | Path | object | None = None,
    taxonomies: Mapping[str, Any] | None = None,
    sampling_fraction: float | None = None,
    risk_threshold: float | None = None,
    multiple_sensitive: str = "each",
    measures: str = "all",
    preset: str | None = None,
    sensitive_values: Mapping[str, Any] | None = None,
    allow_absent: bool = False,
    against: str | Path | object | None = None,
    uncompared: Sequence[str] = (),
    delim: str | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    database: Database | None = None,
    tracer: Tracer | None = None,
) -> AuditReport:
    """Measure a release: a Parquet or CSV file, ``FILE.duckdb::TABLE``, or a pandas, Arrow or Polars table.

    Quasi-identifiers are by default all columns that have no other role; without any, all records are one class. NULL
    is a value of its own; in CSV, unquoted empty is NULL and ``""`` is empty text. ``entity`` names the key of a person
    who may have several records: k, the risks and the models of sensitive values then count persons. ``population`` is
    a table of all who could be in the release, one record a person, with the same quasi-identifiers generalized in the
    same way; ``taxonomies`` maps sensitive columns to lookup files (or DataFrames) of one column per level, leaf first;
    ``sampling_fraction`` is the share of the population in the release. A record is at risk over ``risk_threshold``,
    0.2 if not given. ``multiple_sensitive="joint"`` takes the other sensitive attributes as quasi-identifiers in
    l-diversity. ``measures="required"`` measures what is required.
    ``preset`` names a context of publication (``anonduck.presets``): it requires its k, unless another is required, and
    gives the threshold of risk. ``sensitive_values`` names, by sensitive column, the values that bounds of single
    values count (alpha, LKC's C, both beta-likenesses, delta-disclosure): ``["hiv", "cancer"]``, or all others,
    ``{"except": ["none"]}``; None is NULL, and values are compared as texts. If the file holds none of those named for
    a column, a required bound of them would be met by nothing, and is refused, but with ``allow_absent``. ``against``
    is an earlier release of the same people, whose classes are intersected with those of this one, but by the columns
    in ``uncompared``; k is then required of the intersections too, and taxonomies may be those of quasi-identifiers.

    ``tracer``, such as ``print``, is told each SQL statement as it ran, with the values in it.

    A requirement that is not reached (names and forms: docs/privacy-models.md) makes ``met`` false; without
    requirements nothing can fail. Raises AuditError for a file that cannot be read, holds no record or lacks a named
    column, and for a requirement that cannot be measured with what is given.
    """
    required = with_preset(requirements or {}, preset)
    asked = ask(_with_composition(required, against))
    if risk_threshold is None:
        risk_threshold = RISK_THRESHOLD if preset is None else PRESETS[preset].risk
    _check_options(sampling_fraction, risk_threshold, multiple_sensitive, measures)
    chosen = choose(sensitive_values or {}, sensitive)
    lookups = {column: paths(column, source) for column, source in (taxonomies or {}).items() if column in sensitive}
    labels = {column: source for column, source in (taxonomies or {}).items() if column not in sensitive}
    _refuse_strangers(labels, uncompared, against)
    everything = measures == "all"
    read = tuple(sensitive) if everything or any("sensitive" in one.model.needs for one in asked) else ()
    work = database or Database(threads=threads, memory_limit=memory_limit, tracer=tracer)
    try:
        earlier = None if against is None else composition.columns_of(work, against, delim)
        with open_release(work, target, delim) as file:
            columns = _columns(work)
            others = [
                *sensitive,
                *([] if class_ is None else [class_]),
                *insensitive,
                *([] if entity is None else [entity]),
            ]
            quasi = chosen_quasi_identifiers(columns, quasi_identifiers, others)
            relations.scan_release(work, quasi, read, entity)
            kept = [name for name in columns if name not in quasi and name not in (class_, entity)]
            crowded = _nearly_unique(work, kept)
            compared = earlier and composition.compare_columns(
                columns, quasi, earlier, entity=entity, uncompared=uncompared
            )
            if compared:
                composition.group(work, composition.LATER, compared)
        apart = composition.compose(work, compared, against, delim, labels) if compared else {}
        if population is not None:
            _scan_population(work, population, quasi, delim)
        given = Given(
            len(quasi),
            read,
            population is not None,
            lookups,
            sampling_fraction,
            risk_threshold,
            multiple_sensitive == "joint",
            chosen={name: chosen[name] for name in read if name in chosen},
            persons=entity is not None,
        )
        sizes = _class_sizes(work, given, asked, persons=entity is not None)
        if compared:
            given = replace(given, composed_under=_required_k(asked) or max(sizes.k, 2))
        measured = measure(work, given, asked, everything=everything)
        held = _occurring(work, given)
        if not allow_absent:
            refuse_unbound(given.chosen, held, [one.text for one in asked if one.model.by_value])
    finally:
        relations.forget(work)
        if against is not None:
            composition.forget(work)
        if database is None:
            work.close()
    warnings = (
        *_lone_records(sizes),
        *_crowded(crowded, sizes.rows),
        *_lacking(measured),
        *_absent(given.chosen, held),
        *(f"column {name!r} is not compared with the earlier release: {why}" for name, why in apart.items()),
        *_strangers(measured),
    )
    reached = tuple(Reached(one, found.numbers, found.worst) for one in asked for found in [measured[one.model.name]])
    return AuditReport(file, columns, quasi, sizes, reached, warnings, entity, preset, measured, held)


# -- what is asked -----------------------------------------------------------------------------------------------------


def _check_options(fraction: float | None, threshold: float, multiple: str, measures: str) -> None:
    if fraction is not None and not 0 < fraction <= 1:
        raise AuditError(f"the sampling fraction must be over 0 and at most 1; it is {fraction!r}")
    if not 0 <= threshold <= 1:
        raise AuditError(f"the risk threshold must be from 0 to 1; it is {threshold!r}")
    if multiple not in ("each", "joint"):
        raise AuditError(f"several sensitive attributes are measured 'each' or 'joint'; it is {multiple!r}")
    if measures not in ("all", "required"):
        raise AuditError(f"measured is 'all' or what is 'required'; it is {measures!r}")


def with_preset(requirements: Mapping[str, Required], preset: str | None) -> Mapping[str, Required]:
    """The requirements with the k of a preset, unless they have one; raises AuditError for an unknown preset."""
    if preset is None:
        return requirements
    if preset not in PRESETS:
        raise AuditError(f"the preset {preset!r} is not known; known are {', '.join(PRESETS)}")
    return {"k": PRESETS[preset].k, **requirements}


def _with_composition(requirements: Mapping[str, Required], against: object) -> dict[str, Required]:
    """With an earlier release, k is required of the intersections as well, unless they have a requirement."""
    composed = {"composition": requirements["k"]} if against is not None and "k" in requirements else {}
    return {**requirements, **composed, **requirements}


def _required_k(asked: Sequence[Asked]) -> int | None:
    return next((int(one.required) for one in asked if one.model.name == "composition"), None)


def _refuse_strangers(labels: Mapping[str, Any], uncompared: Sequence[str], against: object) -> None:
    if labels and against is None:
        raise AuditError(
            f"a taxonomy is given for {listed(list(labels))}, which is no sensitive attribute; name it with "
            "`sensitive=[COLUMN]`"
        )
    if uncompared and against is None:
        raise AuditError("columns are compared with an earlier release alone; name it with `against=FILE`")


def _columns(work: Database) -> tuple[str, ...]:
    return tuple(name for (name,) in work.rows(statement("audit/columns.sql")))


def chosen_quasi_identifiers(
    columns: tuple[str, ...], named: Sequence[str] | None, others: Sequence[str]
) -> tuple[str, ...]:
    """The quasi-identifiers: those named, or all columns without another role; raises AuditError for unknown ones."""
    asked = [*(named or []), *others]
    missing = [name for name in dict.fromkeys(asked) if name not in columns]
    if missing:
        raise AuditError(f"the file has no column {listed(missing)}; its columns are {listed(columns)}")
    twice = [name for name in dict.fromkeys(asked) if asked.count(name) > 1]
    if twice:
        raise AuditError(f"the column {listed(twice)} is named more than once; a column has one role")
    return tuple(named) if named is not None else tuple(name for name in columns if name not in others)


def _scan_population(work: Database, population: object, quasi: Sequence[str], delim: str | None) -> None:
    with open_release(work, population, delim):
        columns = _columns(work)
        missing = [name for name in quasi if name not in columns]
        if missing:
            raise AuditError(
                f"the population has no column {listed(missing)}; it must have all quasi-identifiers, generalized as "
                f"the release is. Its columns are {listed(columns)}"
            )
        relations.scan_population(work, quasi)


# -- measures ----------------------------------------------------------------------------------------------------------


def _class_sizes(work: Database, given: Given, asked: Sequence[Asked], *, persons: bool) -> ClassSizes:
    """Number the classes, and their sizes; raises AuditError for a file without records."""
    relations.number_classes(
        work, given.quasi_identifiers, len(given.sensitive), persons=persons, population=given.population
    )
    required = next((int(one.required) for one in asked if one.model.name == "k"), 1)
    query = statement("audit/class_sizes.sql", table={"classes": relations.CLASSES})
    sizes = ClassSizes(*work.row(query, {"required": required}))
    if not sizes.rows:
        raise AuditError("the file holds no records: it protects nobody and tells nothing. Check what wrote it")
    return sizes if persons else replace(sizes, k_persons=None)


def _lone_records(sizes: ClassSizes) -> Iterator[str]:
    if sizes.k == 1:
        yield f"k is 1: {sizes.alone:,} of {sizes.rows:,} records are alone in their class and can be singled out"
    elif sizes.k_persons == 1:
        yield "k is 1: there are classes whose records are all of one person, who can be singled out"


def _nearly_unique(work: Database, kept: Sequence[str]) -> dict[str, int]:
    """The distinct values of each column that is kept as it is."""
    return {name: work.value(statement("audit/distinct_values.sql", column={"kept": name})) for name in kept}


def _crowded(distinct_values: Mapping[str, int], rows: int) -> Iterator[str]:
    for name, distinct in distinct_values.items():
        if rows >= FEWEST_ROWS and distinct > NEARLY_UNIQUE * rows:
            yield (
                f"column {name!r} is nearly unique ({distinct:,} values in {rows:,} records): anyone who knows it can "
                "single records out"
            )


def _occurring(work: Database, given: Given) -> dict[str, Chosen]:
    """The choices of values without those that the release does not hold, which it may hide."""
    names = dict(zip(given.sensitive, sensitive_names(len(given.sensitive)), strict=True))
    return {
        column: occurring(work, relations.AUDITED, names[column], chosen) for column, chosen in given.chosen.items()
    }


def _absent(chosen: Mapping[str, Chosen], held: Mapping[str, Chosen]) -> Iterator[str]:
    for column, one in chosen.items():
        words = absent_words(column, one, held[column], "the file")
        if words:
            yield words


def _strangers(measured: Mapping[str, Measured]) -> Iterator[str]:
    if "composition" in measured and not measured["composition"].details["pairs"]:
        yield (
            "no class of the earlier release can have a person in common with one of this file: they are not of the "
            "same people, or what they keep has changed (`uncompared=[COLUMN]`)"
        )


def _lacking(measured: Mapping[str, Measured]) -> Iterator[str]:
    lacking = measured["k_map"].details["lacking"] if "k_map" in measured else 0
    if lacking:
        yield (
            f"the population lacks {lacking:,} released classes: it is not the population of this release, or is "
            "generalized in another way"
        )
