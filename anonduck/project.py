"""The library's front: a project is a config, its source and its decision database."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck import preparation
from anonduck.config import Config
from anonduck.config_reading import make_config, read_config
from anonduck.database import Database
from anonduck.errors import ConfigError, RuleError
from anonduck.reporting import Reporter
from anonduck.rules import LATTICE, parse_literal
from anonduck.source import Roles, Source, assign_roles, open_source
from anonduck.taxonomy.catalog import Taxonomy, stored_taxonomies

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.discovery import Discovery
    from anonduck.release import Release
    from anonduck.running import Run
    from anonduck.store import Stored
    from anonduck.taxonomy.check import Finding
    from anonduck.taxonomy.show import TaxonomyView
    from anonduck.taxonomy_options import TaxonomyOptions


class Project:
    """A decision: what is anonymized, what is required of it, and what was found out about it.

    ``Project("anonduck.yml")`` reads a config file; ``Project(source=table, class_="churned", ...)`` takes the same
    keys as arguments (``class_`` for ``class``), where ``source`` may also be a pandas, Arrow or Polars table or a
    DuckDB relation. Without a config file the decision database is in memory, unless ``database`` names a file. With
    ``connection``, the work happens in a cursor of that connection, and ``source`` may name one of its tables.

    Raises ConfigError and SourceError at the first call that reads what is wrong.
    """

    def __init__(
        self,
        config: str | Path | None = None,
        *,
        source: Any = None,
        class_: str | None = None,
        connection: Any = None,
        database: str | Path | None = None,
        reporter: Reporter = Reporter(),
        **settings: Any,
    ) -> None:
        self.reporter = reporter
        self._connection = connection
        self._data: object | None = None
        self.config_path = None if config is None else Path(config)
        if config is not None:
            if source is not None or class_ is not None or settings:
                raise ConfigError("a project takes a config file or settings as arguments, not both")
            path = Path(config)
            self.folder = path.resolve().parent
            self.config = read_config(path)
            self._path: Path | None = self.folder / (database or self.config.database)
            return
        self.folder = Path.cwd()
        if source is not None and not isinstance(source, (str, Path)):
            self._data = source
        elif source is not None:
            settings["source"] = str(source)
        self.config = make_config({"class": class_, **settings} if class_ is not None else settings)
        self._path = self.folder / database if database is not None else None

    # -- what it stands on ---------------------------------------------------------------------------------------------

    @cached_property
    def database(self) -> Database:
        """The decision database, opened at first use."""
        return Database(
            self._path,
            connection=self._connection,
            threads=self.config.threads,
            memory_limit=self.config.memory_limit,
        )

    @cached_property
    def opened(self) -> tuple[Source, Roles]:
        """The source as the view ``source`` of the decision database, and the role of each column."""
        source = open_source(self.database, self.config, self.folder, self._data)
        return source, assign_roles(self.config, source, self.reporter.announce)

    @property
    def source(self) -> Source:
        """The open source."""
        return self.opened[0]

    @property
    def roles(self) -> Roles:
        """The role of each column."""
        return self.opened[1]

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        """The taxonomies of the decision database, by column."""
        return stored_taxonomies(self.database)

    def close(self) -> None:
        """Close the decision database."""
        if "database" in self.__dict__:
            self.database.close()
            del self.__dict__["database"]
            self.__dict__.pop("opened", None)

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- deciding ------------------------------------------------------------------------------------------------------

    def build_taxonomies(
        self,
        columns: Sequence[str] | None = None,
        *,
        replace: bool = False,
        options: TaxonomyOptions | None = None,
    ) -> dict[str, Taxonomy]:
        """Build the taxonomies of quasi-identifiers (all by default) as the config says.

        ``options`` name the builder of columns that the config has no taxonomy for; later calls keep to them.
        """
        from anonduck.taxonomy.making import ensure_taxonomies

        preparation.scan(self.database, self.config, self.roles, self.reporter)
        return ensure_taxonomies(
            self.database,
            self.config,
            self.folder,
            list(columns or self.roles.quasi_identifiers),
            types=preparation.types_of(self.source, self.roles),
            label_k=self.config.requirement.k,
            announce=self.reporter.announce,
            replace=replace,
            given=options,
        )

    def import_taxonomies(
        self,
        path: Path,
        *,
        format_: str = "plain",
        column: str | None = None,
        mapping: Mapping[str, str] | None = None,
        sep: str | None = None,
        header: bool | None = None,
        encoding: str = "utf-8",
        show_values: bool = False,
    ) -> dict[str, Taxonomy]:
        """Import a hierarchy file for one column, or with ``format_="blocks"`` a file of several blocks."""
        from anonduck.taxonomy.blocks import import_blocks
        from anonduck.taxonomy.files import import_plain

        preparation.scan(self.database, self.config, self.roles, self.reporter)
        columns = self.roles.quasi_identifiers
        told: dict[str, Any] = {"announce": self.reporter.announce, "show_values": show_values}
        if format_ == "blocks":
            return import_blocks(self.database, path, mapping, columns, sep=sep, encoding=encoding, **told)
        name = column or path.stem
        if name not in columns:
            raise ConfigError(
                f"{name!r} is not a quasi-identifier; name one with --column: {', '.join(map(repr, columns))}"
            )
        taxonomy = import_plain(self.database, path, name, sep=sep, header=header, encoding=encoding, **told)
        return {name: taxonomy}

    def check_taxonomies(self, columns: Sequence[str] | None = None, *, show_values: bool = False) -> list[Finding]:
        """Check taxonomies against the source; an empty list is a pass."""
        from anonduck.taxonomy.check import check_taxonomies

        preparation.scan(self.database, self.config, self.roles, self.reporter)
        return check_taxonomies(self.database, list(columns or self.roles.quasi_identifiers), show_values=show_values)

    def show_taxonomy(self, column: str, *, level: int | None = None, show_values: bool = False) -> TaxonomyView:
        """The taxonomy of a column with the records under each node."""
        from anonduck.taxonomy.show import show_taxonomy

        preparation.scan(self.database, self.config, self.roles, self.reporter)
        if column not in self.taxonomies and column in self.roles.quasi_identifiers:
            self.build_taxonomies([column])
        return show_taxonomy(
            self.database, column, level=level, show_values=show_values, label_k=self.config.requirement.k
        )

    def discover(self, *, min_k: int | None = None, show_values: bool = False, **changes: Any) -> Discovery:
        """Find generalization rules, measure them, join them, mark the frontier; replaces an earlier discovery.

        ``min_k`` (default: the required k) drops rules under it. ``changes`` are config keys for this call: coverage,
        models, sample, max_rfds, max_rules, pool, seed, search, time_limit and others.
        """
        from anonduck.discovery import discover_rules
        from anonduck.lattice_discovery import discover_in_lattice
        from anonduck.requiring import demanded
        from anonduck.store import write_discovery

        config = self._changed(changes)
        demand = demanded(config, self.folder, **({} if min_k is None else {"k": min_k}))
        taxonomies = preparation.prepare(
            self.database,
            config,
            self.folder,
            self.source,
            self.roles,
            label_k=config.requirement.k,
            sensitive=demand.sensitive,
            show_values=show_values,
            reporter=self.reporter,
        )
        given = (self.database, config, taxonomies, self.roles.quasi_identifiers)
        if config.search == LATTICE:
            discovery = discover_in_lattice(*given, demand=demand, reporter=self.reporter)
        else:
            discovery = discover_rules(*given, min_k=demand.k, demand=demand, reporter=self.reporter)
        write_discovery(self.database, discovery, self.settings(taxonomies))
        return discovery

    def settings(self, taxonomies: Mapping[str, Taxonomy]) -> dict[str, Any]:
        """What rules depend on, to notice that it changed since they were discovered."""
        return {
            "source": self.config.source,
            "where": self.config.where,
            "class": self.roles.class_,
            **({"select": self.config.select} if self.config.search == LATTICE else {}),
            "nodes": {name: list(taxonomies[name].nodes) for name in self.roles.quasi_identifiers},
            "config": self.config.model_dump(
                mode="json", by_alias=True, exclude={"rule", "select", "requirement", "publication", "threads"}
            ),
            "content": self.content_fingerprint(),
        }

    def content_fingerprint(self) -> str | None:
        """A fingerprint of the source's files; None for a source that has no files."""
        from anonduck.fingerprints import files_fingerprint, fingerprint_key

        if not self.source.files:
            return None
        return files_fingerprint(fingerprint_key(self.database), self.source.files)

    def discovered(self) -> Stored:
        """The stored discovery; raises RuleError if there is none."""
        from anonduck.store import read_discovery

        stored = read_discovery(self.database)
        if stored is None:
            raise RuleError("nothing was discovered yet; run `anonduck discover` first")
        return stored

    def rules(self) -> pd.DataFrame:
        """All rules of the stored discovery, one row each, with the fields of ``rules --json``."""
        import pandas as pd

        return pd.DataFrame([rule.as_json() for rule in self.discovered().rules])

    def frontier(self, objectives: Sequence[str] | None = None) -> pd.DataFrame:
        """The non-dominated rules on any two or more objectives (default: k and accuracy), by falling k.

        A notebook displays the table as a chart of all rules, by k and the first other objective.
        """
        import pandas as pd

        from anonduck.discovery import default_objectives
        from anonduck.frontier import frontier_rules
        from anonduck.report.frame import with_chart
        from anonduck.report.plotting import notebook_chart, points

        stored = self.discovered()
        models = stored.summary["models"]
        weighed = objectives or default_objectives(models)
        kept = frontier_rules(stored.rules, weighed, models)
        table = pd.DataFrame([rule.as_json() for rule in kept])
        measure = next(name for name in weighed if name != "k")
        drawn = points(stored.rules, [rule.id for rule in kept], measure, models)
        chart = notebook_chart(drawn, measure, required=self.config.requirement.k) if drawn else None
        return table if chart is None else with_chart(table, chart)

    def report(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the decision report, one HTML file that loads nothing; returns its path.

        It shows the stored discovery: the frontier, each rule with its risks, the questions of the paper (section 6),
        by aggregates and labels that k records stand behind. Raises RuleError if nothing was discovered, or not on what
        the decision database holds now, and ConfigError if the file cannot be written.
        """
        from anonduck.report import write_report

        return write_report(self, Path(path), overwrite=overwrite)

    def certificate(
        self, release: str | Path, path: str | Path, *, attacks: str | Path | None = None, overwrite: bool = False
    ) -> Path:
        """Write the certificate of a release, from the receipt beside it, as one HTML file to print; returns its path.

        ``attacks`` names a file with what ``anonduck attack --json`` printed about it. Raises ReleaseError if there is
        no receipt or the file was changed since, and ConfigError if a file cannot be used.
        """
        from anonduck.report import write_certificate

        told = None if attacks is None else Path(attacks)
        return write_certificate(self, release, Path(path), attacks=told, overwrite=overwrite)

    # -- releasing -----------------------------------------------------------------------------------------------------

    def rule_levels(self, rule: str | Mapping[str, int]) -> tuple[str | None, dict[str, int]]:
        """Id and levels of a rule given as id, literal or mapping; raises RuleError if it cannot be applied now."""
        if not isinstance(rule, str):
            return None, dict(rule)
        if not re.fullmatch(r"R\d+", rule.strip()):
            return None, parse_literal(rule)
        stored = self.discovered()
        found = stored.rule(rule)
        known, now = stored.settings, self.taxonomies
        if known["class"] != self.config.class_:
            raise RuleError(
                f"{rule} was discovered for the class {known['class']!r}, the config now says {self.config.class_!r}; "
                "run `anonduck discover` again"
            )
        for name in found.levels:
            if (
                name not in self.roles.quasi_identifiers
                or name not in now
                or list(now[name].nodes) != known["nodes"][name]
            ):
                raise RuleError(
                    f"{rule} generalizes {name!r}, whose role or taxonomy changed since; run `anonduck discover` again"
                )
        return found.id, dict(found.levels)

    def release(
        self,
        rule: str | Mapping[str, int],
        path: str | Path | None,
        *,
        source: str | Path | None = None,
        overwrite: bool = False,
        dry_run: bool = False,
        requirement: Mapping[str, Any] | None = None,
        keep_roots: bool = False,
        unmapped: str | None = None,
        show_values: bool = False,
    ) -> Release:
        """Apply a rule (an id, a literal or a mapping) and write the result, audited, with its receipt.

        Args:
            rule: ``"R12"``, ``'age=3,"odd name"=0'`` or ``{"age": 3}``.
            path: FILE.parquet, FILE.csv or ``FILE.duckdb::table``, relative to the current folder.
            source: another export to apply it to, with the same taxonomies.
            overwrite: whether a file at ``path`` may be replaced.
            dry_run: measure only; nothing is written and ``path`` may be None.
            requirement: replaces single requirements of the config, such as ``{"k": 5, "suppression": 0.02}``.
            keep_roots: keep the attributes that the rule leaves out as their root label.
            unmapped: ``"root"`` sends values that a nominal taxonomy does not know to its root label.
            show_values: let errors name the values that a taxonomy does not know.

        Raises:
            RequirementNotMet, TaxonomyError, RuleError, ReleaseError, SourceError.
        """
        from anonduck.releasing import release_rule

        return release_rule(
            self,
            rule,
            path,
            source=source,
            overwrite=overwrite,
            dry_run=dry_run,
            requirement=requirement or {},
            keep_roots=keep_roots,
            unmapped=unmapped or self.config.unmapped,
            show_values=show_values,
        )

    def sql(
        self,
        rule: str | Mapping[str, int],
        *,
        dialect: str = "duckdb",
        table: str | None = None,
        unmapped: str | None = None,
    ) -> str:
        """The release of a rule as one standalone SQL script: lookup tables, then a SELECT.

        ``dialect`` is a dialect of sqlglot; ``table`` names the relation to read in place of the source.
        """
        from anonduck.releasing import release_script

        return release_script(self, rule, dialect=dialect, table=table, unmapped=unmapped or self.config.unmapped)

    def run(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        reselect: bool = False,
        report: bool = True,
        **changes: Any,
    ) -> Run:
        """Discover if needed, select a rule, release and audit it: the whole job, for ETL.

        With ``report``, the decision report goes beside the release, as ``FILE.report.html``.
        """
        from anonduck.running import run_project

        return run_project(self, path, overwrite=overwrite, reselect=reselect, changes=changes, report=report)

    def _changed(self, changes: Mapping[str, Any]) -> Config:
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            return self.config
        unknown = set(given) - set(Config.model_fields)
        if unknown:
            raise ConfigError(f"unknown settings {', '.join(sorted(unknown))}; known are the keys of the config")
        return make_config({**self.config.model_dump(by_alias=True), **given}, whose="the options")

    @contextlib.contextmanager
    def reading(self, source: str | Path | None) -> Iterator[tuple[Source, Roles]]:
        """The project's source, or another export in its place for as long as the block lasts."""
        if source is None:
            yield self.opened
            return
        config = self.config.model_copy(
            update={"source": str(Path.cwd() / source) if "::" not in str(source) else str(source)}
        )
        try:
            other = open_source(self.database, config, Path.cwd())
            # within the block the project's source is this one: to open its own would put it in the place of the other
            self.__dict__["opened"] = other, assign_roles(config, other, self.reporter.announce)
            yield self.opened
        finally:
            self.__dict__.pop("opened", None)
