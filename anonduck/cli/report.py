"""The command report: the page on which a data owner decides, and the certificate of a release."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.terminal import print_json, reporting, say


@click.command("report", short_help="Write a decision report or a certificate as HTML.")
@click.option("-o", "--output", required=True, metavar="FILE", help="HTML file to write.")
@click.option("--release", metavar="FILE", help="Write the certificate of this release instead.")
@click.option("--attacks", metavar="FILE", help="Saved output of `anonduck attack --json`, to add.")
@click.option("--owner", is_flag=True, help="With --release: add what its owner alone may know.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@config_option
@json_option
def report_command(
    path: str, as_json: bool, output: str, release: str | None, attacks: str | None, owner: bool, overwrite: bool
) -> None:
    """Write a decision report or a release certificate as HTML.

    The decision report shows the last discovery, or without one the releases by methods;
    with --release, a certificate documents that release. Either is self-contained HTML: a
    single file that loads nothing else. A certificate may go wherever the release goes,
    unless --owner is given; a decision report is for the owner.
    """
    from anonduck.project import Project
    from anonduck.search.store import read_discovery

    if owner and release is None:
        raise click.UsageError("--owner goes with --release FILE; a decision report is for the owner anyway")
    with reporting() as reporter, Project(path, reporter=reporter) as project:
        if release is None:
            made = project.report(output, attacks=attacks, overwrite=overwrite)
            stale = {"stale": project.stale() if read_discovery(project.database) else []}
        else:
            stale = {}
            made = project.certificate(release, output, attacks=attacks, owner=owner, overwrite=overwrite)
    if as_json:
        print_json({"file": str(made), "bytes": made.stat().st_size, **stale})
        return
    say(f"wrote {made} ({_size(made)}); open it in a browser")


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"
