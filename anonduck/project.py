"""The library's front: what can be done with a project, each method with the job that it calls.

Over 400 lines, for it is the whole public interface on one page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from anonduck.config.changes import Changes
from anonduck.errors import ConfigError
from anonduck.opened_project import OpenedProject, export_here, here, jobs_one_at_a_time, target_here

if TYPE_CHECKING:
    import pandas as pd

    from anonduck.comparison.comparison import Comparison
    from anonduck.release.lock import Locked
    from anonduck.release.release import Release
    from anonduck.run import Run
    from anonduck.search.discovery import Discovery
    from anonduck.search.store import StoredDiscovery


@jobs_one_at_a_time("explore")
class Project(OpenedProject):
    """A decision: what is anonymized, what is required of it, and what was found out about it.

    ``Project("anonduck.yml")`` reads a config file; ``source=...`` beside it takes the place of the config's source.
    ``Project(source=table, class_="churned", ...)`` takes the same keys as arguments (``class_`` for ``class``), where
    ``source`` may also be a pandas, Arrow or Polars table or a DuckDB relation. Without a config file the decision
    database is in memory, unless ``database`` names a file. With ``connection``, the work happens in a cursor of that
    connection, and ``source`` may name one of its tables. With ``engine``, a session of Spark, the source is a table or
    Parquet files that it reads, and the records stay there.
    ``tracer``, such as ``print``, gets each SQL statement as it ran, ready for a DuckDB shell, with its file, time and
    rows. It shows values of the source: keep what it prints as safe as the source.

    Paths that a method takes are relative to the current folder, as it is when the method is called; those in a config
    file are relative to its folder. Projects on one decision file take turns, in several threads too: a job works on it
    alone.

    Several methods take these arguments:
        path: where a release goes: FILE.parquet, FILE.csv, ``FILE.duckdb::table`` or ``delta:FOLDER``, a Delta table;
            where an engine reads the source, ``spark:TABLE`` or a folder, ``NAME.parquet/``.
        source: another export to use in place of the project's, with the same taxonomies.
        overwrite: whether a file that exists may be replaced.
        dry_run: measure only; nothing is written and ``path`` may be None.
        requirement: replaces single requirements of the config, such as ``{"k": 5, "suppression": 0.02}``. A lowering
            is in the receipt.
        keep_roots: keep the attributes that the rule leaves out as their root label.
        unmapped: ``"root"`` sends values that a nominal taxonomy does not know to its root label.
        show_values: let errors name the values that a taxonomy does not know.

    Raises ConfigError and SourceError at the first call that reads what is wrong.
    """

    # -- deciding ------------------------------------------------------------------------------------------------------

    def discover(
        self,
        *,
        min_k: int | None = None,
        show_values: bool = False,
        offers: Sequence[str] = (),
        **changes: Unpack[Changes],
    ) -> Discovery:
        """Find and measure generalization rules, and mark the frontier; replaces an earlier discovery.

        ``min_k`` (default: the required k) drops rules with a smaller k. ``changes`` are keys of the config
        for this call, such as ``coverage``, ``models`` or ``search``.

        ``offers`` are methods, as ``compare`` takes them, to be offered beside the rules: each is a candidate at the
        required k and at 4 and 16 times that. By default those that the config lists under ``methods``, or none where
        ``search`` is given, which asks for rules alone.
        """
        from anonduck.search.job import discover

        named = list(offers) or self.config.offered
        if not offers and (changes.get("search") or not self.config.chooses_among_candidates):
            return discover(self.workspace, min_k=min_k, show_values=show_values, **changes)
        from anonduck.offer.offer import make_offer, ways_of

        ways_of(named)
        found = discover(self.workspace, min_k=min_k, show_values=show_values, **changes)
        make_offer(self.workspace, self.discovered(), named)
        return found

    def candidates(self) -> pd.DataFrame:
        """The candidates of the last offer, one row each, with the fields of ``frontier --json``; empty without one.

        An empty table displays why it is. Raises RuleError if nothing was discovered.
        """
        from anonduck.offer.candidates import candidate_table, kept_offer

        return candidate_table(kept_offer(self.workspace, self.discovered()))

    def discovered(self) -> StoredDiscovery:
        """The stored discovery; raises RuleError if there is none."""
        from anonduck.search import stored_rules

        return stored_rules.discovered(self.workspace)

    def stale(self) -> list[str]:
        """What changed since the rules were found, in words; their measures are then not those of what is there now.

        A requirement that the rules were not found for is listed too. Empty where nothing changed; raises RuleError if
        nothing was discovered.
        """
        from anonduck.search import freshness

        return freshness.reasons(self.workspace, self.discovered())

    def rules(self, *, nested: bool = False) -> pd.DataFrame:
        """All rules of the stored discovery, one row each, with the fields of ``rules --json``.

        What these hold by name has a column for each name: ``levels.age`` (the root's level where a rule leaves the
        column out), ``accuracy.tree``, ``utility.loss``; ``accuracy`` is the first model's. With ``nested`` it stays
        together, in dictionaries. ``attrs["levels"]`` has the levels of each rule by its id, and ``attrs["stale"]``
        says what changed since the rules were found, as ``stale`` does; it is announced too.
        """
        from anonduck.rules.rule_table import rule_table
        from anonduck.search.freshness import tell_stale

        stored = self.discovered()
        documents = [rule.as_json() for rule in stored.rules]
        why = stored.summary["explanation"] or "no rule was found"
        table = rule_table(documents, stored.roots, stored.summary["models"], nested=nested, why=why)
        table.attrs["stale"] = tell_stale(self.workspace, stored)
        return table

    def frontier(
        self,
        objectives: Sequence[str] | None = None,
        *,
        everything: bool = False,
        nested: bool = False,
    ) -> pd.DataFrame:
        """The non-dominated rules on any two or more objectives (default: k and accuracy), by falling k.

        The columns are those of ``rules``.
        Rules that predict no better than the majority class are left out, unless ``everything`` is set.
        ``tied_with`` names rules with a larger k that a rule is better than by noise alone.
        ``attrs["stale"]`` says what changed since the rules were found. A notebook displays the table as a chart of all
        rules, by k and the first other objective.
        """
        from anonduck.report.frontier_table import frontier_table

        return frontier_table(self.workspace, objectives, everything=everything, nested=nested)

    def expected(self) -> dict[str, dict[str, Any]]:
        """What each rule of the frontier is expected to reach on unseen records, by literal and by model.

        The whole search is repeated without some of the records, and what it picks is tested on those; the result is
        kept until the next discovery. Empty where no model was measured or the config's ``holdout`` is 0.
        """
        from anonduck.evaluation.repeated_search import expected_now

        return expected_now(self.workspace, self.discovered())

    def report(self, path: str | Path, *, attacks: str | Path | None = None, overwrite: bool = False) -> Path:
        """Write the decision report as self-contained HTML; returns its path.

        It shows the stored discovery: the frontier, each rule with its risks, the questions of the paper (section 6),
        as aggregates and labels that at least k records share. Where nothing was discovered, it shows the releases that
        methods made, each with its receipt, and ``attacks`` on one of them: a file with what ``anonduck attack --json``
        printed. Raises RuleError if there is neither, or the discovery is not of what the decision database holds now,
        and ConfigError if the file cannot be written.
        """
        from anonduck.report.report import write_report

        known = None if attacks is None else Path(attacks)
        return write_report(self.workspace, Path(path), attacks=known, overwrite=overwrite)

    def certificate(
        self,
        release: str | Path,
        path: str | Path,
        *,
        attacks: str | Path | None = None,
        against: Sequence[str | Path] = (),
        owner: bool = False,
        overwrite: bool = False,
        reviewed_by: str | None = None,
        accept_unattacked: str | None = None,
    ) -> Path:
        """Write the certificate of a release from its receipt; returns its path.

        It is self-contained HTML to print, or JSON for a ``path`` that ends so. It says whether the release is ready to
        be signed: every requirement is met, recipient and purpose are stated (``publication`` in the config), somebody
        read the config (``reviewed_by``, or ``reviewed`` in it), and each quasi-identifier that the file shows was
        attacked, as an owner's page does, or somebody accepts that it was not (``accept_unattacked``, or
        ``accepted_unattacked`` in the config). Both are a name and a day, such as ``"Jane Doe, 2027-03-01"``.

        It may go wherever the release goes, but for what is asked to be added: with ``owner`` what the owner's file
        holds and what attacks find, against a control group that is drawn from the source; by ``attacks``, a file, what
        ``anonduck attack --json`` printed about the release. ``against`` are files of earlier releases of the same
        people: what both reveal together is stated. Raises ReleaseError if there is no receipt or the file was changed
        since, and ConfigError if a file cannot be used. What an engine wrote, such as ``spark:schema.table``, has its
        receipt in the folder of the config, and the project's engine counts its rows again.
        """
        from anonduck.report.certificate import write_certificate

        known = None if attacks is None else Path(attacks)
        target, earlier = target_here(release, self.folder), [Path(one) for one in against]
        return write_certificate(
            self.workspace,
            target,
            Path(path),
            attacks=known,
            against=earlier,
            owner=owner,
            overwrite=overwrite,
            words={"reviewed": reviewed_by, "accepted_unattacked": accept_unattacked},
        )

    def explore(
        self,
        *,
        port: int = 0,
        browser: bool = True,
        ready: Callable[[str, bool], None] | None = None,
        until: Callable[[], object] | None = None,
    ) -> None:
        """Serve a page to try rules on, with sliders for levels, k and suppression, until Ctrl-C.

        Its address, which only this machine can open and which holds a secret token, is printed, or given to ``ready``
        with whether a browser was opened. ``port`` 0 takes a free one. The page shows measures and counts, no record; a
        rule that meets what is required can be saved in the config file. The source is read once; what is saved in the
        decision database is left as it is. ``until`` is waited for in place of Ctrl-C.

        Raises ConfigError if the port cannot be used, and what ``discover`` raises for a source that cannot be read.
        """
        from anonduck.report.explorer.server import serve

        serve(self.workspace, port=port, browser=browser, ready=ready, until=until)

    # -- releasing -----------------------------------------------------------------------------------------------------

    def rule_levels(self, rule: str | Mapping[str, int]) -> tuple[str | None, dict[str, int]]:
        """Id and levels of a rule given as id, literal or mapping; raises RuleError if it cannot be applied now."""
        from anonduck.search import stored_rules

        return stored_rules.rule_levels(self.workspace, rule)

    def release(
        self,
        rule: str | Mapping[str, int] | None = None,
        path: str | Path | None = None,
        *,
        classes: Any = None,
        key: str | None = None,
        source: str | Path | None = None,
        overwrite: bool = False,
        dry_run: bool = False,
        requirement: Mapping[str, Any] | None = None,
        keep_roots: bool = False,
        unmapped: str | None = None,
        show_values: bool = False,
        show: str | None = None,
        bounds: str | None = None,
    ) -> Release:
        """Apply a rule, or classes assigned elsewhere, and write the result, audited, with its receipt.

        Args:
            rule: ``"R12"``, ``'age=3,"odd name"=0'`` or ``{"age": 3}``; ``"M3"`` for a candidate of the offer that is
                no rule; None with ``classes``.
            path: as the others, described at ``Project``.
            classes: a table (CSV, Parquet, ``FILE.duckdb::table`` or a DataFrame) of two columns, the key of each
                record and its class; each class is generalized to its smallest common node in every column.
            key: the column of keys, in ``classes`` and in the source; by default the identifier that both have.
            show: what the classes of a candidate show, ``"ranges"``, ``"typical"`` or ``"swapped"`` values; by default
                what it was measured by.
            bounds: how ranges of numbers and dates are written, as ``"text"`` or as two ``"columns"``, such as
                ``age_from`` and ``age_to``; by default what the config says.

        Raises:
            RequirementNotMet, TaxonomyError, RuleError, ReleaseError, SourceError.
        """
        from anonduck.offer.candidates import IDENTIFIER
        from anonduck.release.by_recoding import release_rule
        from anonduck.release.plan import ReleaseSettings

        if (rule is None) == (classes is None):
            raise ConfigError("a release is made by a rule or by classes; give one of the two")
        if key is not None and classes is None:
            raise ConfigError("`key` names the column of keys of `classes`; a rule has none")
        settings = ReleaseSettings(
            export=export_here(source),
            overwrite=overwrite,
            dry_run=dry_run,
            requirement=requirement,
            overridable=True,
            keep_roots=keep_roots,
            unmapped=unmapped,
            show_values=show_values,
            show=show,
            bounds=bounds,
        )
        target = None if path is None else target_here(path, self.folder)
        if isinstance(rule, str) and IDENTIFIER.fullmatch(rule.strip()):
            from anonduck.release.candidate_release import kept_candidate, release_candidate

            return release_candidate(self.workspace, kept_candidate(self.workspace, rule.strip()), target, settings)
        if rule is not None:
            return release_rule(self.workspace, rule, target, settings)
        from anonduck.release.keyed_classes import release_classes

        assigned = export_here(classes) if isinstance(classes, (str, Path)) else classes
        return release_classes(self.workspace, assigned, key, target, settings)

    def apply(
        self,
        rule: str | Mapping[str, int],
        *,
        source: str | Path | None = None,
        requirement: Mapping[str, Any] | None = None,
        keep_roots: bool = False,
        unmapped: str | None = None,
        show_values: bool = False,
    ) -> pd.DataFrame:
        """The release of a rule as a table: the rows that ``release`` writes, audited as those are.

        Whole numbers with NULL among them are of pandas' nullable types.
        ``attrs["receipt"]`` is the receipt. Raises what ``release`` raises.
        """
        from anonduck.release.frames import apply_rule
        from anonduck.release.plan import ReleaseSettings

        settings = ReleaseSettings(
            export=export_here(source),
            requirement=requirement,
            overridable=True,
            keep_roots=keep_roots,
            unmapped=unmapped,
            show_values=show_values,
        )
        return apply_rule(self.workspace, rule, settings)

    def anonymize(
        self,
        method: str,
        path: str | Path | None = None,
        *,
        k: int | None = None,
        source: str | Path | None = None,
        overwrite: bool = False,
        dry_run: bool = False,
        requirement: Mapping[str, Any] | None = None,
        unmapped: str | None = None,
        show_values: bool = False,
        settings: Mapping[str, Any] | None = None,
        show: str | Mapping[str, str] | None = None,
        blocks: Sequence[Sequence[str]] | None = None,
        bounds: str | None = None,
    ) -> Release:
        """Anonymize by a method, and write the result, audited, with its receipt.

        Args:
            method: its name; ``anonduck anonymize --list`` shows all.
            path: as the others, described at ``Project``.
            k: how many records each class has at least; by default as required.
            settings: options of the method, such as ``{"strict": False}``, over those of the config.
            show: what its classes show, ``"ranges"``, ``"typical"`` or ``"swapped"`` values, or by column, as in
                ``{"age": "typical"}``; by default what the config says.
            blocks: columns that change places together among swapped values; by default what the config says.
            bounds: how ranges are written, as in ``release``.

        Raises:
            ConfigError, RequirementNotMet, TaxonomyError, ReleaseError, SourceError.
        """
        from anonduck.config.reading import with_changes
        from anonduck.release.by_recoding import release_method
        from anonduck.release.plan import ReleaseSettings

        made = ReleaseSettings(
            export=export_here(source),
            overwrite=overwrite,
            dry_run=dry_run,
            requirement=requirement,
            overridable=True,
            unmapped=unmapped,
            show_values=show_values,
            show=show if isinstance(show, str) else None,
            bounds=bounds,
        )
        target = None if path is None else target_here(path, self.folder)
        workspace, changes = self.workspace, dict[str, Any]()
        if isinstance(show, Mapping):
            changes["show"] = dict(show)
        if blocks is not None:
            changes["blocks"] = [list(block) for block in blocks]
        workspace = workspace.with_config(with_changes(workspace.config, changes))
        return release_method(workspace, method, target, made, k=k, options=settings)

    def compare(
        self,
        methods: Sequence[str],
        k: int | Sequence[int] = (),
        *,
        at: str | None = None,
        models: Sequence[str] | None = None,
        protocol: str | Sequence[str] = "released",
        select: str | Sequence[str] = (),
        imports: Mapping[str, str | Path] | None = None,
        time_limit: float | None = None,
        again: bool = False,
    ) -> Comparison:
        """Compare what ways to anonymize keep, cost and risk at each k, with the same folds and models for all.

        Args:
            methods: names, with settings as in ``"mondrian:splits=entropy"``; ``"rules"`` is the best rule at each k.
            k: one or several; by default the required one.
            at: ``"frontier"`` adds each k that a rule of the stored frontier reaches.
            models: models to train in place of the config's.
            protocol: ``"released"`` (models are cross-validated on the released records), ``"held-out"`` (each training
                part is anonymized by itself, and original records are tested), or both.
            select: the measures that rules are picked by, each of which makes rows of its own; by default the config's.
            imports: releases that other tools made, files by the names to show them by.
            time_limit: seconds that a row may take; by default the config's. A row that takes longer says so.
            again: whether to make rows anew that were finished before and depend on nothing that changed.

        What a method cannot do is a row with the reason. Where rules are asked for and none were discovered, they are
        discovered first. Raises ConfigError for what cannot be asked.
        """
        from anonduck.comparison.job import compare

        return compare(
            self.workspace,
            list(methods),
            [k] if isinstance(k, int) else list(k),
            at=at,
            models=models,
            protocols=[protocol] if isinstance(protocol, str) else list(protocol),
            select=[select] if isinstance(select, str) else list(select),
            imports={name: str(here() / file) for name, file in (imports or {}).items()},
            time_limit=time_limit,
            again=again,
        )

    def sql(
        self,
        rule: str | Mapping[str, int] | None = None,
        *,
        of: str = "release",
        file: str | None = None,
        as_: str = "select",
        dialect: str = "duckdb",
        table: str | None = None,
        identifiers: str = "quoted",
        name: str | None = None,
        requirement: Mapping[str, Any] | None = None,
        unmapped: str | None = None,
        output: str | Path | None = None,
        overwrite: bool = False,
    ) -> str:
        """The release of a rule as one SELECT, which needs no table and no setting, and can run again.

        So is that of a method, when it is named instead, unless it finds a rule. The method has the options that the
        config gives it. ``as_="script"`` writes temporary tables of its lookups, and the SELECT that joins them.

        ``dialect`` is that of an engine: bigquery, databricks, duckdb, postgres, snowflake or spark. ``table`` names a
        table or a query of that dialect to read in place of the source; ``identifiers`` calls columns there as the
        source does (``quoted``), or in ``upper`` or ``lower`` case.
        ``requirement`` replaces single requirements, as in ``release``: labels depend on the k that is required.
        Raises DialectError, a ConfigError, for what an engine cannot be given.

        ``as_="dbt"`` writes a dbt model, which reads ``table``, such as ``ref('customers')``, and ``as_="sqlmesh"`` two
        models of SQLMesh, the published one called ``name``; all are of what is locked where nothing is named.

        The text is written to the file ``output`` too, readable only by its owner. One that does not end in ``.sql`` is
        a folder: ``release.sql`` and the lookup tables of more than 1,000 rows as CSV files, a dbt model called
        ``name`` and its lookup tables as seeds, or SQLMesh's two models, under the names that the text says. Raises
        ConfigError where a file exists, unless ``overwrite``.

        ``of`` names another question whose SQL is wanted, for a DuckDB shell on the decision database: ``k``,
        ``classes``, ``entropy``, ``information-gain`` and ``contingency`` of a rule; ``frequency-set`` and
        ``patterns``, which take none. Raises ConfigError for others, and for what a release alone takes.

        ``file`` names a query file, such as ``release/combined_set.sql``: it is expanded for this project, its lists
        filled with the quasi-identifiers. Raises ConfigError for one that asks for what a command alone knows.
        """
        from anonduck.offer.candidates import IDENTIFIER
        from anonduck.release.candidate_release import candidate_texts, kept_candidate
        from anonduck.release.plan import ReleaseSettings
        from anonduck.release.script_text import ALONE, TextOptions
        from anonduck.release.sql_texts import as_one, release_texts, write_texts
        from anonduck.search.query_files import file_sql
        from anonduck.search.questions import question_sql, refuse_of_release

        if output is not None:
            self.refuse_protected(output)
        if file is not None or of != "release":
            given = {"as_": as_, "dialect": dialect, "table": table, "identifiers": identifiers}
            asked = {**given, "name": name, "requirement": requirement, "unmapped": unmapped}
            usual = ("select", "duckdb", "quoted")
            whose = of if file is None else "a file"
            refuse_of_release(whose, {name: value for name, value in asked.items() if value and value not in usual})
            if file is not None and (rule is not None or of != "release"):
                raise ConfigError("the SQL of a query file takes neither a rule nor `--of`; leave them out")
            texts = {ALONE: question_sql(self.workspace, of, rule) if file is None else file_sql(self.workspace, file)}
        else:
            folder = as_ in ("select", "dbt") and output is not None and not str(output).endswith(".sql")
            options = TextOptions(as_, dialect, table, identifiers, folder=folder)
            settings = ReleaseSettings(requirement=requirement, unmapped=unmapped)
            if isinstance(rule, str) and IDENTIFIER.fullmatch(rule.strip()):
                one = kept_candidate(self.workspace, rule.strip())
                texts = candidate_texts(self.workspace, one, options, name, settings)
            else:
                texts = release_texts(self.workspace, rule, options, name, settings)
        if output is not None:
            self.refuse_protected(*(Path(output, name) for name in texts))
            write_texts(Path(output), texts, overwrite=overwrite)
        return as_one(texts)

    def lock(self, rule: str | Mapping[str, int] | None = None, *, check: bool = False) -> Locked:
        """Lock a rule, a candidate (``"M3"``) or the method of that name in ``anonduck.lock.yml``, beside the config.

        None stands for what ``run`` releases by. The lock holds the levels (or the options and the seed of the method
        with its cut tree, or a fingerprint of what else it found, which the decision database keeps), the roles, the
        requirement, and fingerprints of the taxonomies; ``run(..., locked=True)`` applies it. ``check`` writes nothing
        and says what a release by the present lock would reach. Raises RequirementNotMet where the requirement is
        missed, ConfigError and TaxonomyError where something is not as it was locked.
        """
        from anonduck.release.candidate_release import lock_named
        from anonduck.release.lock import check_lock

        if not check:
            return lock_named(self.workspace, rule)
        if rule is not None:
            raise ConfigError("`anonduck lock --check` checks the lock as it is, and takes no rule")
        return check_lock(self.workspace)

    def run(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        if_exists: str | None = None,
        reselect: bool = False,
        report: bool = True,
        keep_roots: bool = False,
        locked: bool = False,
        **changes: Unpack[Changes],
    ) -> Run:
        """Discover if needed, select a rule, release and audit it: the whole job, for ETL.

        Where a release stands at ``path``, ``if_exists`` says what is done: ``"fail"`` (as by default),
        ``"overwrite"`` (as ``overwrite`` does), or ``"skip"`` if it is of the same records and the same config.

        With ``locked``, what ``lock`` wrote is applied and nothing else; ConfigError, TaxonomyError and
        RequirementNotMet say what has changed since it was locked, and what to do.

        With ``report``, the decision report is written next to the release, as ``FILE.report.html``. ``reselect``
        chooses a rule anew. ``changes`` are as in ``discover``, such as
        ``select={"measure": "accuracy", "within": 0.01}``.
        """
        from anonduck.config.reading import with_changes
        from anonduck.run import read_if_exists, run_project

        with_changes(self.workspace.config, changes)  # refuses what an up-to-date discovery would not read
        return run_project(
            self.workspace,
            target_here(path, self.folder),
            if_exists=read_if_exists(if_exists, overwrite=overwrite),
            reselect=reselect,
            report=report,
            keep_roots=keep_roots,
            locked=locked,
            changes=changes,
        )
