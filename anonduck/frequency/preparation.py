"""From an open source to a coded frequency set: taxonomies made where needed, checked, and every value looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from anonduck.config.config import Config
from anonduck.database.connection import Database
from anonduck.database.progress import Reporter
from anonduck.errors import SourceError, TaxonomyError
from anonduck.frequency.floors import (
    SAMPLE,
    VALUES,
    code_at_floor,
    count_values,
    most_combinations,
    refuse_unfit,
    write_at_floor,
)
from anonduck.frequency.frequency_set import (
    SPLIT_SET,
    check_class,
    check_mapped,
    check_nulls,
    make_coded,
    make_coded_sensitive,
    make_lookup,
    make_sensitive_set,
)
from anonduck.privacy.audited_tables import sensitive_names
from anonduck.source.engine import FREQUENCY_SET, SENSITIVE_SET, SourceEngine
from anonduck.source.source import Roles, Source, types_of
from anonduck.taxonomy.catalog import Taxonomy, follow_edits, stored_taxonomies
from anonduck.taxonomy.checks.checks import check_taxonomies
from anonduck.taxonomy.plans import outdated_taxonomies
from anonduck.taxonomy.taxonomies import ensure_taxonomies

PLACING = "placing values in their taxonomies"


def prepare(
    database: Database,
    config: Config,
    folder: Path,
    source: Source,
    roles: Roles,
    *,
    label_k: int,
    sensitive: Sequence[str] = (),
    show_values: bool = False,
    reporter: Reporter = Reporter(),
    k: int = 1,
    suppression: float = 0.0,
    folds: bool = True,
) -> dict[str, Taxonomy]:
    """Scan the source into the frequency set, make and check taxonomies, and code the set for every later question.

    ``sensitive`` are columns that requirements read: a second coded set then holds their values. A source of more
    combinations than the config allows has a frequency set at a floor (anonduck.frequency.floors), under which no rule
    is that meets ``k`` with a share of records left out, or that few combinations separate. ``folds`` are not drawn
    where no model will be trained.
    """
    if config.split_by is not None:
        source.column(config.split_by)
    engine = source.engine
    columns = list(dict.fromkeys([*roles.quasi_identifiers, roles.class_, *sensitive]))
    most = most_combinations(config, len(columns))
    scanned = None
    whole = not engine.floored or not engine.exceeds(columns, most)
    if whole:
        with reporter.during("counting combinations of values"):
            scan(engine, config, roles, reporter, sensitive=sensitive)
        whole = _fits(database, SENSITIVE_SET if sensitive else FREQUENCY_SET, most)
    if not whole and not engine.floored and config.engine.max_cells is not None:
        raise SourceError(
            f"the source has more distinct combinations than the {most:,} of `engine: {{max_cells: ...}}`. Raise "
            "that, or give fewer columns the role of quasi-identifiers"
        )
    if not whole and engine.floored:
        refuse_unfit(config)
        scanned = count_values(engine, config, roles, reporter, sensitive)
    frequency, records = (FREQUENCY_SET, FREQUENCY_SET) if scanned is None else (VALUES, SAMPLE)
    taxonomies = ensure_taxonomies(
        database,
        config,
        folder,
        roles.quasi_identifiers,
        frequency=frequency,
        records=records,
        types=types_of(source, roles),
        label_k=label_k,
        reporter=reporter,
    )
    with reporter.during("checking taxonomies"):
        refuse_broken(database, taxonomies, config, reporter, frequency=frequency, show_values=show_values)
    for number, taxonomy in enumerate(taxonomies.values()):
        reporter.progress(PLACING, number, len(taxonomies))
        make_lookup(database, taxonomy, frequency=frequency)
        _say_if_useless(taxonomy, reporter)
    reporter.progress(PLACING, len(taxonomies), len(taxonomies))
    check_mapped(database, taxonomies, show_values=show_values, refuse=None if config.unmapped == "refuse" else ())
    if scanned is not None:
        floor = write_at_floor(scanned, config, taxonomies, reporter, most=most, k=k, suppression=suppression)
        check_class(database, roles, config, reporter.announce)
        code_at_floor(scanned, floor, config, taxonomies, folds=folds)
        return _with_sensitive(database, roles, taxonomies, sensitive)
    split_by = config.split_by if folds else None
    if split_by is not None:
        source.engine.frequency_set([*roles.quasi_identifiers, roles.class_, split_by], SPLIT_SET)
    with reporter.during("coding the records"):
        make_coded(database, roles, taxonomies, config.seed, reporter.announce, folds=folds, split_by=split_by)
    if split_by is not None:
        database.drop(SPLIT_SET)
    return _with_sensitive(database, roles, taxonomies, sensitive)


def _with_sensitive(
    database: Database, roles: Roles, taxonomies: dict[str, Taxonomy], sensitive: Sequence[str]
) -> dict[str, Taxonomy]:
    """Code the set with sensitive values, if there are any; returns the taxonomies."""
    if sensitive:
        names = dict(zip(sensitive, sensitive_names(len(sensitive)), strict=True))
        make_coded_sensitive(database, roles, taxonomies, names)
    return taxonomies


def _fits(database: Database, table: str, most: int) -> bool:
    """Whether a frequency set has no more rows than that."""
    return database.count(table) <= most


def scan(
    engine: SourceEngine, config: Config, roles: Roles, reporter: Reporter, *, sensitive: Sequence[str] = ()
) -> None:
    """Write ``frequency_set`` in one scan (and with ``sensitive`` the one that holds them), look at class and NULLs."""
    columns = [*roles.quasi_identifiers, roles.class_]
    if sensitive:
        make_sensitive_set(engine, columns, sensitive)
    else:
        engine.frequency_set(columns)
    check_class(engine.database, roles, config, reporter.announce)
    check_nulls(engine.database, roles, config)


def taxonomies_for(
    database: Database,
    config: Config,
    folder: Path,
    source: Source,
    roles: Roles,
    columns: Sequence[str],
    *,
    label_k: int,
    reporter: Reporter = Reporter(),
) -> dict[str, Taxonomy]:
    """The taxonomies of some columns, built first where they are missing or their options changed.

    Clusters describe values by the other quasi-identifiers, so that building one scans all of them; anything else scans
    its own column only.
    """
    types = types_of(source, roles)
    missing = outdated_taxonomies(database, config, folder, columns, types=types, label_k=label_k)
    if missing:
        clustered = any(kind == "clusters" for kind in missing.values())
        source.engine.frequency_set([*(roles.quasi_identifiers if clustered else missing), roles.class_])
        ensure_taxonomies(database, config, folder, list(missing), types=types, label_k=label_k, reporter=reporter)
    follow_edits(database, columns)
    return {name: taxonomy for name, taxonomy in stored_taxonomies(database).items() if name in columns}


def refuse_broken(
    database: Database,
    taxonomies: Mapping[str, Taxonomy],
    config: Config,
    reporter: Reporter,
    *,
    frequency: str = "frequency_set",
    show_values: bool = False,
) -> None:
    """Raise TaxonomyError with all findings that break k or the mapping of values; announce the others."""
    findings = check_taxonomies(database, list(taxonomies), frequency=frequency, show_values=show_values)
    if config.unmapped == "root":
        findings = [finding for finding in findings if finding.check != "missing"]
    for finding in findings:
        if finding.severity == "warning":
            reporter.announce(f"taxonomy of {finding.summary}; `anonduck taxonomy check` has the query that lists them")
    broken = [finding.message for finding in findings if finding.severity == "error"]
    if broken:
        raise TaxonomyError("; ".join(broken))


def _say_if_useless(taxonomy: Taxonomy, reporter: Reporter) -> None:
    if taxonomy.leaves < 2:
        held = "only NULL" if taxonomy.leaves == 0 else "a single value"
        reporter.announce(f"column {taxonomy.column!r} holds {held}, so it distinguishes records by NULL at most")
