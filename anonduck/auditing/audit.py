"""The measures of a release, derived from the written file alone.

The audit reads only the file: no config, no taxonomy, no decision database. It imports none of the code that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.auditing.options import AuditOptions
from anonduck.auditing.report import (
    AuditReport,
    ClassSizes,
    RowOrder,
    SizeBand,
    beside,
    order_of_rows,
    roles_of_receipt,
)
from anonduck.database.connection import Database
from anonduck.database.session import Tracer
from anonduck.errors import AuditError
from anonduck.privacy import composition, relations
from anonduck.privacy.audited_engine import DuckDBFile, engine_of_name, engine_table, opened_release
from anonduck.privacy.audited_file import is_text_file, listed, open_release
from anonduck.privacy.audited_tables import sensitive_names
from anonduck.privacy.chosen_values import ValueChoice, absent_words, occurring, refuse_unbound
from anonduck.privacy.composition import EARLIER, LATER, ComparedColumns, compare_with_original, intersect
from anonduck.privacy.direct_identifiers import DirectIdentifiers, as_json
from anonduck.privacy.kept_columns import KEPT_RARE, KeptColumns, KeptSizes
from anonduck.privacy.measures import PrivacyMeasure, ReleaseContext, measure
from anonduck.privacy.requirement import CriterionResult, Required
from anonduck.privacy.uniqueness import differing
from anonduck.statements import statement
from anonduck.words import did_you_mean, looks_like_value

if TYPE_CHECKING:
    import pandas as pd


NEARLY_UNIQUE = 0.9
FEWEST_ROWS = 20  # in a smaller file, all values may differ by chance


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
    order: Mapping[str, Sequence[str]] | None = None,
    allow_absent: bool = False,
    against: str | Path | object | None = None,
    uncompared: Sequence[str] = (),
    original: str | Path | object | None = None,
    delim: str | None = None,
    rare_under: int | None = None,
    at_most: int = 1,
    row_order: bool = False,
    receipt: str | Path | None = None,
    engine: Any = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    database: Database | None = None,
    tracer: Tracer | None = None,
) -> AuditReport:
    """Measure a release: a Parquet or CSV file, a folder of Parquet files that are parts of one table,
    ``FILE.duckdb::TABLE``, or a pandas, Arrow or Polars table.

    With ``engine``, a kind such as ``"spark"`` or an open session, the release is ``SCHEMA.TABLE`` or a folder of
    Parquet files that this engine holds; ``"spark:SCHEMA.TABLE"`` names both. The engine counts, and no record is
    fetched.

    NULL is a value of its own; in CSV, unquoted empty is NULL and ``""`` is empty text. The other options are those of
    ``anonduck.auditing.options.AuditOptions``. ``tracer``, such as ``print``, receives each SQL statement that ran,
    with its values. A requirement that is not reached makes ``met`` false; without requirements nothing can fail.

    Raises:
        AuditError: the file cannot be read, has no record or lacks a named column, or a requirement cannot be measured
            with what is given.
    """
    options = AuditOptions(
        quasi_identifiers,
        sensitive=sensitive,
        class_=class_,
        requirements=requirements or {},
        insensitive=insensitive,
        entity=entity,
        population=population,
        taxonomies=taxonomies or {},
        sampling_fraction=sampling_fraction,
        risk_threshold=risk_threshold,
        multiple_sensitive=multiple_sensitive,
        measures=measures,
        preset=preset,
        sensitive_values=sensitive_values or {},
        order=order or {},
        allow_absent=allow_absent,
        against=against,
        uncompared=uncompared,
        original=original,
        delim=delim,
        rare_under=rare_under,
        at_most=at_most,
        row_order=row_order,
        receipt=receipt,
    )
    engine = engine_of_name(target) if engine is None else engine
    if receipt is not None and engine is not None:
        raise AuditError("a receipt is checked against the hash of a file, and an engine holds a table; name the roles")
    if row_order and engine is not None:
        raise AuditError("the rows of a table in an engine have no order; ask for `--row-order` of a file")
    work = database or Database(threads=threads, memory_limit=memory_limit, tracer=tracer)
    try:
        with nullcontext(target) if engine is None else engine_table(target, engine) as opened:
            if receipt is not None:
                by_receipt = roles_of_receipt(target, receipt)
                report = _audited(work, opened, replace(options, **by_receipt.given, receipt=None))
                alone = AuditOptions(entity=entity, delim=delim, measures="required")
                return replace(report, receipt=by_receipt, file_alone=_audited(work, opened, alone).sizes)
            report = _audited(work, opened, options)
            return replace(report, receipt_beside=None if quasi_identifiers is not None else beside(target))
    finally:
        if database is None:
            work.close()


def _audited(work: Database, target: object, options: AuditOptions) -> AuditReport:
    """Run the audit step by step; leaves no tables in the database."""
    lookups = options.sensitive_paths()
    try:
        scan = _scan(work, target, options)
        composed = compose_release(work, target, scan.columns, scan.quasi_identifiers, scan.compared, options)
        if options.population is not None:
            _scan_population(work, options.population, scan.quasi_identifiers, options.delim)
        given = _given(options, scan, lookups)
        sizes = _class_sizes(work, given, options.required_k, numbered=scan.numbered)
        if scan.compared:
            under = options.required_composition or max(sizes.k, 2)
            given = replace(given, composed_under=under, composed_exactly=composed.exact)
        kept = _kept(scan, options, sizes)
        if any(one.model.name == KEPT_RARE for one in options.asked):
            given = replace(given, kept=kept)
        measured = measure(work, given, options.asked, everything=options.everything)
        held = _occurring(work, given)
    finally:
        relations.forget(work)
        if options.against is not None:
            relations.forget(work, composition.MADE)
    if not options.allow_absent:
        refuse_unbound(given.chosen, held, [one.text for one in options.asked if one.model.by_value])
    found = [(one, measured[one.model.name]) for one in options.asked]
    requirements = tuple(CriterionResult(one, reached.numbers, reached.worst, reached.upper) for one, reached in found)
    return AuditReport(
        scan.file,
        scan.columns,
        scan.quasi_identifiers,
        sizes,
        requirements,
        (
            *work.take_remarks(),
            *filter(None, [sizes.lone_words]),
            *_crowded(scan.crowding, sizes.rows),
            *_direct(scan.direct or {}),
            *_lacking(measured),
            *_absent(given.chosen, held),
            *composed.report_warnings(measured, requirements),
            *(differing(measured["population_uniqueness"].details) if "population_uniqueness" in measured else ()),
        ),
        options.entity,
        options.preset,
        measured,
        held,
        kept=kept,
        row_order=scan.row_order,
        direct_identifiers=None if scan.direct is None else as_json(scan.direct),
    )


# -- what is read ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scan:
    """What one scan of a release returns: its columns, and how many records hold the values of kept columns.

    ``class_`` is the class, which is one of these. ``compared`` are the columns that are compared with an earlier
    release; None without one. ``numbered``: the equivalence classes are numbered.
    """

    file: str | None
    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    kept: KeptSizes
    class_: str | None
    compared: composition.ComparedColumns | None
    row_order: RowOrder | None
    direct: Mapping[str, DirectIdentifiers] | None
    numbered: bool

    @property
    def crowding(self) -> dict[str, int]:
        """The number of distinct values of each kept column except the class; NULL counts as one."""
        return {name: sizes.values for name, sizes in self.kept.columns.items() if name != self.class_}


def _scan(work: Database, target: object, options: AuditOptions) -> Scan:
    """Read the release once: its columns by role, and the tables that measures read."""
    against, entity = options.against, options.entity
    earlier = None if against is None else composition.columns_of(work, against, options.delim)
    compared = None
    with opened_release(work, target, options.delim) as (file, opened):
        columns = opened.columns()
        quasi = chosen_quasi_identifiers(columns, options.quasi_identifiers, options.others)
        joint, population = options.joint and len(options.read) > 1, options.population is not None
        numbered = relations.scan_release(opened, quasi, options.read, entity, population=population, joint=joint)
        kept = opened.kept([name for name in columns if name not in quasi and name != entity], quasi, entity)
        if earlier:
            compared = composition.compare_columns(
                columns, quasi, earlier, entity=entity, uncompared=options.uncompared
            )
            composition.group(opened, composition.LATER, compared)
        direct = None
        if options.everything and isinstance(opened, DuckDBFile):
            direct = opened.direct_identifiers()
        order = order_of_rows(work, columns, texts=is_text_file(file)) if options.row_order else None
    return Scan(file, columns, quasi, kept, options.class_, compared, order, direct, numbered)


def _given(options: AuditOptions, scan: Scan, lookups: Mapping[str, pd.DataFrame]) -> ReleaseContext:
    return ReleaseContext(
        len(scan.quasi_identifiers),
        options.read,
        options.population is not None,
        lookups,
        options.sampling_fraction,
        options.threshold,
        options.joint,
        chosen={name: options.chosen[name] for name in options.read if name in options.chosen},
        orders=options.order,
        persons=options.persons,
    )


def chosen_quasi_identifiers(
    columns: tuple[str, ...], named: Sequence[str] | None, others: Sequence[str]
) -> tuple[str, ...]:
    """The named quasi-identifiers, or all columns without another role. Raises AuditError for unknown columns."""
    asked = [*(named or []), *others]
    missing = [name for name in dict.fromkeys(asked) if name not in columns]
    if missing:
        if any(map(looks_like_value, columns)):
            raise AuditError(
                f"the file has no column {listed(missing)}; the names of its {len(columns)} columns are not listed, as "
                "its first line looks like a record. A file of CSV begins with the names of its columns"
            )
        meant = did_you_mean(missing[0], columns)
        raise AuditError(f"the file has no column {listed(missing)}{meant}; its columns are {listed(columns)}")
    twice = [name for name in dict.fromkeys(asked) if asked.count(name) > 1]
    if twice:
        raise AuditError(f"the column {listed(twice)} is named more than once; a column has one role")
    return tuple(named) if named is not None else tuple(name for name in columns if name not in others)


def _scan_population(work: Database, population: object, quasi: Sequence[str], delim: str | None) -> None:
    with open_release(work, population, delim):
        columns = DuckDBFile(work).columns()
        missing = [name for name in quasi if name not in columns]
        if missing:
            raise AuditError(
                f"the population has no column {listed(missing)}; it must have all quasi-identifiers, generalized as "
                f"the release is. Its columns are {listed(columns)}"
            )
        DuckDBFile(work).population(quasi)


# -- measures ----------------------------------------------------------------------------------------------------------


def _class_sizes(work: Database, given: ReleaseContext, required: int, *, numbered: bool) -> ClassSizes:
    """Number the classes and return their sizes. Raises AuditError for a file without records."""
    relations.number_classes(
        work,
        given.quasi_identifiers,
        len(given.sensitive),
        persons=given.persons,
        population=given.population,
        numbered=numbered,
    )
    query = statement("auditing/class_sizes.sql", table={"classes": relations.CLASSES})
    *figures, bands = work.row(query, {"required": required})
    sizes = replace(ClassSizes(*figures), bands=tuple(SizeBand(*band) for band in bands or ()))
    if not sizes.rows:
        raise AuditError("the file has no records, so there is nothing to audit. Check the program that wrote it")
    return sizes if given.persons else replace(sizes, k_persons=None)


def _kept(scan: Scan, options: AuditOptions, sizes: ClassSizes) -> KeptColumns:
    """The figures of kept columns, by the required k, or else the k reached."""
    reached = sizes.k if sizes.k_persons is None else sizes.k_persons
    return scan.kept.figures(options.rare_below(reached), persons=options.persons, at_most=options.at_most)


def _crowded(distinct_values: Mapping[str, int], rows: int) -> Iterator[str]:
    for name, distinct in distinct_values.items():
        if rows >= FEWEST_ROWS and distinct > NEARLY_UNIQUE * rows:
            yield (
                f"column {name!r} is nearly unique ({distinct:,} values in {rows:,} records): anyone who knows it can "
                "single records out"
            )


def _direct(found: Mapping[str, DirectIdentifiers]) -> Iterator[str]:
    for name, one in found.items():
        if one.found:
            yield (
                f"column {name!r} holds direct identifiers ({one.words} of its cells): whoever has the file knows "
                "people by them"
            )


def _occurring(work: Database, given: ReleaseContext) -> dict[str, ValueChoice]:
    """The chosen values that the release holds. The others are hidden, because a report must not name them."""
    names = dict(zip(given.sensitive, sensitive_names(len(given.sensitive)), strict=True))
    return {
        column: occurring(work, relations.NUMBERED, names[column], chosen) for column, chosen in given.chosen.items()
    }


def _absent(chosen: Mapping[str, ValueChoice], held: Mapping[str, ValueChoice]) -> Iterator[str]:
    for column, one in chosen.items():
        words = absent_words(column, one, held[column], "the file")
        if words:
            yield words


def _lacking(measured: Mapping[str, PrivacyMeasure]) -> Iterator[str]:
    lacking = measured["k_map"].details["lacking"] if "k_map" in measured else 0
    if lacking:
        yield (
            f"the population lacks {lacking:,} released classes: it is not the population of this release, or is "
            "generalized in another way"
        )


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
                "the same people, or what they keep has changed (`--uncompared COLUMN`)"
            )
        for one in requirements:
            if one.not_shown:
                yield (
                    f"{one.asked.text} is not shown: two files say how many persons two classes can have in common, "
                    "not how many they have. The key of persons in both files (`--entity COLUMN`) or the table that "
                    "both were made of (`--original SOURCE`) shows it"
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
