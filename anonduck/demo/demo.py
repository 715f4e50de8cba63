"""The demo: a synthetic export, its config, a discovery, a release with its audit and its SQL."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config.file_names import DATABASE_NAME, FILE_NAME, SCHEMA_NAME
from anonduck.config.reading import read_config
from anonduck.database.private_file import write_private
from anonduck.database.progress import Reporter
from anonduck.demo.export import CLASS, write_demo_export
from anonduck.demo.records import ShownRecord, shown_records
from anonduck.errors import ConfigError
from anonduck.init.init import initialize
from anonduck.init.purge import remove_database
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.release.candidate_release import candidate_texts
from anonduck.release.script import release_script
from anonduck.release.script_text import TextOptions
from anonduck.release.sql_texts import as_one
from anonduck.release.target import target_of
from anonduck.report.report import write_report
from anonduck.rules.frontier import frontier_rules
from anonduck.rules.rule import literal
from anonduck.run import Run, run_project
from anonduck.search.expected import expected_rules
from anonduck.search.store import StoredDiscovery
from anonduck.search.stored_rules import discovered
from anonduck.workspace import Workspace

EXPORT = "persons.parquet"
RELEASE = "released.parquet"
DOCUMENTS = tuple(f"{RELEASE}.{what}" for what in ("receipt.json", "dictionary.json", "dictionary.md", "owner.json"))
REPORT = "report.html"
SCRIPT = "release.sql"
CERTIFICATE = "certificate.html"
KEPT = "contact_channel"
GENERALIZED = "income"  # which its name would make a sensitive column, kept as it is


@dataclass(frozen=True)
class Demonstration:
    """What the demo made: three records before and after, rules on the frontier, candidates of all kinds, the run, the
    files with a word on each, and what to type next."""

    summary: dict[str, Any]
    records: tuple[ShownRecord, ...]
    rules_found: int
    frontier: tuple[dict[str, Any], ...]
    candidates: tuple[Candidate, ...]
    discovered: StoredDiscovery
    run: Run
    files: dict[str, str]
    next_commands: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The demo as ``anonduck demo --json`` prints it."""
        return {
            "rows": self.summary["rows"],
            "records": [one.as_json() for one in self.records],
            "baseline": self.summary["baseline"],
            "frontier": list(self.frontier),
            "candidates": [one.as_json() for one in self.candidates],
            "run": self.run.as_json(),
            "files": self.files,
            "next": list(self.next_commands),
        }


def demonstrate(folder: Path, *, here: Path, overwrite: bool, reporter: Reporter) -> Demonstration:
    """Write the export and do the whole job on it; raises ConfigError if the folder holds files of these names.

    A relative ``folder`` is one of the current folder, ``here``.

    Those of an earlier demo, and only they, are replaced with ``overwrite``.
    """
    _refuse_others(folder, overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    remove_database(folder / DATABASE_NAME)
    reporter.announce(f"writing a synthetic export of 50,000 persons to {folder / EXPORT}")
    write_demo_export(folder / EXPORT, tracer=reporter.trace)
    config = folder / FILE_NAME
    initialize(
        config,
        str(folder / EXPORT),
        CLASS,
        here=here,
        insensitive=[KEPT],
        quasi_identifiers=[GENERALIZED],
        overwrite=True,
        reporter=reporter,
    )
    with Workspace.of_file(config, reporter=reporter) as workspace:
        run = run_project(workspace, target_of(folder / RELEASE, here), if_exists="overwrite", report=False)
        write_report(workspace, folder / REPORT, overwrite=True, beside=run.beside)
        script = _script(workspace, run)
        stored = discovered(workspace)
        candidates, expected = kept_offer(workspace, stored), expected_rules(workspace.database)
        records = shown_records(workspace, run, folder / EXPORT, folder / RELEASE)
    write_private(folder / SCRIPT, script, overwrite=True)
    kept = frontier_rules(stored.rules, ("k", "accuracy"), stored.summary["models"])
    other = kept[0].id if run.next_best is None else run.next_best.id
    written = (config, folder / RELEASE, folder / "other.parquet", folder / CERTIFICATE)
    at, file, other_file, certificate = (shlex.quote(str(one)) for one in written)
    return Demonstration(
        summary=dict(stored.summary),
        records=records,
        rules_found=len(stored.rules),
        frontier=tuple(rule.as_json() | {"expected": expected.get(literal(rule.levels))} for rule in kept),
        candidates=candidates,
        discovered=stored,
        run=run,
        files={
            str(folder / EXPORT): "the synthetic export",
            str(config): "the config: roles, taxonomies, requirement",
            str(folder / DATABASE_NAME): "the decision database; as sensitive as the export",
            str(folder / RELEASE): "the release",
            f"{folder / RELEASE}.receipt.json": "its receipt",
            f"{folder / RELEASE}.dictionary.md": "its data dictionary: what each column and group is, in words",
            f"{folder / RELEASE}.owner.json": "what models reach on it, and all else that its owner alone may know",
            str(folder / REPORT): "the decision report; open it in a browser",
            str(folder / SCRIPT): "the same release as plain SQL; as sensitive as the export",
        },
        next_commands=(
            f"anonduck frontier -p {at}",
            f"anonduck release {other} -p {at} -o {other_file}",
            f"anonduck audit {file} --class {CLASS} --insensitive {KEPT} --require k=5",
            f"anonduck report --release {file} -p {at} -o {certificate}",
            f"anonduck taxonomy show age -p {at}",
        ),
    )


def _script(workspace: Workspace, run: Run) -> str:
    """The release of a run as plain SQL."""
    if run.candidate is None or run.candidate.levels is not None:
        assert run.rule is not None  # a run without a method is by a rule or by a candidate
        return as_one(release_script(workspace, run.rule.id))
    return as_one(candidate_texts(workspace, run.candidate, TextOptions("script")))


def _refuse_others(folder: Path, overwrite: bool) -> None:
    made = (FILE_NAME, SCHEMA_NAME, EXPORT, DATABASE_NAME, RELEASE, *DOCUMENTS, REPORT, SCRIPT)
    there = next((name for name in made if (folder / name).exists()), None)
    if there is None:
        return
    if not _is_demo(folder / FILE_NAME):
        raise ConfigError(
            f"{folder} holds {there}, which is not from a demo and would be overwritten; choose another folder"
        )
    if not overwrite:
        raise ConfigError(f"{folder} holds an earlier demo; name another folder, or write over it with `--overwrite`")


def _is_demo(config: Path) -> bool:
    """Whether a config is there that a demo wrote."""
    if not config.is_file():
        return False
    try:
        read = read_config(config)
    except ConfigError:
        return False
    return (read.source, read.class_, read.insensitive) == (EXPORT, CLASS, [KEPT])
