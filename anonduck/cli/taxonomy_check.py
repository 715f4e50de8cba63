"""The command taxonomy check: taxonomies against the source."""

from __future__ import annotations

from dataclasses import asdict

import click

from anonduck.cli.completion import columns as known_columns
from anonduck.cli.options import config_option, json_option, show_values_option
from anonduck.cli.terminal import print_json, reporting, say


@click.command("check")
@click.argument("columns", nargs=-1, shell_complete=known_columns)
@config_option
@json_option
@show_values_option
def taxonomy_check_command(path: str, as_json: bool, columns: tuple[str, ...], show_values: bool) -> None:
    """Check taxonomies against the source.

    Checks those of COLUMNS, or all. Exits with 2 if one is broken.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        findings = project.check_taxonomies(columns or None, show_values=show_values)
    broken = [finding for finding in findings if finding.severity == "error"]
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings], "ok": not broken})
    else:
        for finding in findings:
            say(f"{finding.severity}: {finding.message}")
            for example in finding.examples:
                say(f"  {example}")
        say(f"{len(broken)} errors, {len(findings) - len(broken)} warnings")
    if broken:
        raise click.exceptions.Exit(2)
