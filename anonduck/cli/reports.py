"""The command report: the page on which a data owner decides."""

from __future__ import annotations

import click

from anonduck.cli.app import config_option, json_option, print_json
from anonduck.cli.printing import reporting


@click.command("report")
@click.option("-o", "--output", required=True, metavar="FILE", help="FILE.html, which opens in any browser.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@config_option
@json_option
def report_command(path: str, as_json: bool, output: str, overwrite: bool) -> None:
    """Write the decision report of the last discovery, one HTML file that loads nothing."""
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        made = project.report(output, overwrite=overwrite)
    if as_json:
        print_json({"file": str(made), "bytes": made.stat().st_size})
        return
    click.echo(f"wrote {made} ({made.stat().st_size / 1e6:.1f} MB); open it in a browser")
