"""The demo: a synthetic export, its config, a discovery, a release with its audit and its SQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonduck.config import DATABASE_NAME, FILE_NAME
from anonduck.demo_data import CLASS, write_demo_export
from anonduck.errors import ConfigError
from anonduck.frontier import frontier_rules
from anonduck.initializing import initialize
from anonduck.private_file import write_private
from anonduck.project import Project
from anonduck.reporting import Reporter
from anonduck.rules import literal
from anonduck.running import Run

EXPORT = "persons.parquet"
RELEASE = "released.parquet"
REPORT = "report.html"
SCRIPT = "release.sql"
SAMPLE = 10_000
KEPT = "contact_channel"


@dataclass(frozen=True)
class Demonstration:
    """What the demo made: the frontier, the run, the files with a word on each, and what to type next."""

    summary: dict[str, Any]
    rules_found: int
    frontier: tuple[dict[str, Any], ...]
    run: Run
    files: dict[str, str]
    next_commands: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The demo as ``anonduck demo --json`` prints it."""
        return {
            "rows": self.summary["rows"],
            "baseline": self.summary["baseline"],
            "frontier": list(self.frontier),
            "run": self.run.as_json(),
            "files": self.files,
            "next": list(self.next_commands),
        }


def demonstrate(folder: Path, *, overwrite: bool, reporter: Reporter) -> Demonstration:
    """Write the export and do the whole job on it; raises ConfigError if the folder holds an earlier demo."""
    if (folder / FILE_NAME).exists() and not overwrite:
        raise ConfigError(f"{folder} holds an earlier demo; name another folder, or write over it with `--overwrite`")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DATABASE_NAME).unlink(missing_ok=True)
    reporter.announce(f"writing a synthetic export of 50,000 persons to {folder / EXPORT}")
    write_demo_export(folder / EXPORT)
    config = folder / FILE_NAME
    initialize(config, str(folder / EXPORT), CLASS, insensitive=[KEPT], overwrite=True)
    with Project(config, reporter=reporter) as project:
        reporter.announce(f"discovering rules; the pairs of {SAMPLE:,} sampled records are joined")
        project.discover(sample=SAMPLE)
        stored = project.discovered()
        run = project.run(folder / RELEASE, overwrite=True, report=False)
        project.report(folder / REPORT, overwrite=True)
        assert run.rule is not None
        script = project.sql(run.rule.id)
        expected = project.expected()
    write_private(folder / SCRIPT, script, overwrite=True)
    kept = frontier_rules(stored.rules, ("k", "accuracy"), stored.summary["models"])
    other = next((rule for rule in reversed(kept) if rule.measures.k > run.rule.measures.k), run.rule)
    return Demonstration(
        summary=dict(stored.summary),
        rules_found=len(stored.rules),
        frontier=tuple(rule.as_json() | {"expected": expected.get(literal(rule.levels))} for rule in kept),
        run=run,
        files={
            str(folder / EXPORT): "the synthetic export",
            str(config): "the config: roles, taxonomies, requirement",
            str(folder / DATABASE_NAME): "the decision database; as sensitive as the export",
            str(folder / RELEASE): "the release",
            f"{folder / RELEASE}.receipt.json": "its receipt",
            str(folder / REPORT): "the decision report; open it in a browser",
            str(folder / SCRIPT): "the same release as plain SQL; as sensitive as the export",
        },
        next_commands=(
            f"anonduck frontier -p {config}",
            f"anonduck release {other.id} -p {config} -o {folder / 'other.parquet'}",
            f"anonduck audit {folder / RELEASE} --class {CLASS} --insensitive {KEPT} --require k=5",
            f"anonduck taxonomy show age -p {config}",
        ),
    )
