"""The commands report and explore: the page to decide on, a certificate, and a page to try rules on."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from anonduck.cli.groups import SectionedCommand
from anonduck.cli.options import config_option, json_option, overwrite_option
from anonduck.cli.terminal import opened, print_json, reporting, say


@click.command(
    "report",
    cls=SectionedCommand,
    sections={
        "Input": ["path"],
        "A certificate": ["release", "against", "owner", "attacks", "reviewed_by", "accept_unattacked"],
        "Output": ["output", "overwrite", "as_json"],
    },
    short_help="Write a decision report or a certificate as HTML.",
)
@click.option("-o", "--output", required=True, metavar="FILE", help="HTML file to write, or a certificate as JSON.")
@click.option("--release", metavar="FILE", help="Write the certificate of this release instead.")
@click.option("--attacks", metavar="FILE", help="Saved output of `anonduck attack --json`, to add.")
@click.option(
    "--against",
    multiple=True,
    metavar="EARLIER",
    help="With --release: an earlier release of the same people to check it against. Repeatable.",
)
@click.option("--owner", is_flag=True, help="With --release: attack it, and add what its owner alone may know.")
@click.option("--reviewed-by", metavar='"NAME, DATE"', help="With --release: who has read the config, and when.")
@click.option(
    "--accept-unattacked",
    metavar='"NAME, DATE"',
    help="With --release: who accepts, and when, that columns were not attacked.",
)
@overwrite_option()
@config_option
@json_option
def report_command(
    path: str,
    as_json: bool,
    output: str,
    release: str | None,
    attacks: str | None,
    against: tuple[str, ...],
    owner: bool,
    reviewed_by: str | None,
    accept_unattacked: str | None,
    overwrite: bool,
) -> None:
    """Write a decision report or a release certificate as HTML.

    The decision report shows the last discovery, or without one the releases by methods;
    with --release, a certificate documents that release. Either is self-contained HTML: a
    single file that loads nothing else. A certificate may go wherever the release goes,
    unless --owner is given; a decision report is for the owner. For FILE.json a
    certificate is written for machines.
    """
    from anonduck.search.store import read_discovery

    if against and release is None:
        raise click.UsageError("--against goes with --release FILE, whose certificate states what both reveal")
    if owner and release is None:
        raise click.UsageError("--owner goes with --release FILE; a decision report is for the owner anyway")
    words = {"reviewed_by": reviewed_by, "accept_unattacked": accept_unattacked}
    if release is None and any(words.values()):
        raise click.UsageError("--reviewed-by and --accept-unattacked go with --release FILE, for its certificate")
    with opened(path) as project:
        if release is None:
            made = project.report(output, attacks=attacks, overwrite=overwrite)
            stale = {"stale": project.stale() if read_discovery(project.database) else []}
        else:
            stale = {}
            made = project.certificate(
                release, output, attacks=attacks, against=against, owner=owner, overwrite=overwrite, **words
            )
    if as_json:
        print_json({"file": str(made), "bytes": made.stat().st_size, **stale})
        return
    opened_in = "" if made.suffix.lower() == ".json" else "; open it in a browser"
    say(f"wrote {made} ({_size(made)}){opened_in}")


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"


@click.command("explore", short_help="Try rules on a page with sliders, served to you alone.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port to serve at.  [default: one that is free]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@config_option
@json_option
def explore_command(path: str, as_json: bool, port: int, no_browser: bool) -> None:
    """Try rules on a page with sliders, served to you alone.

    The page has a slider for the level of each column, for k and for the records that may
    be left out, and shows at once what a rule reaches and what it costs. A rule that meets
    what is required can be saved in the config, for `anonduck run`. The address works on
    this machine only; it holds a secret, so do not pass it on. Ctrl-C ends it, with exit
    code 130.
    """
    from anonduck.project import Project

    reading = contextlib.ExitStack()

    def ready(url: str, opened: bool) -> None:
        reading.close()
        if as_json:
            print_json({"url": url, "opened": opened})
            return
        say(url)
        say("opened in your browser; Ctrl-C ends it" if opened else "open it in a browser; Ctrl-C ends it", err=True)

    say("reading the source", err=True)
    with reading, Project(path, reporter=reading.enter_context(reporting())) as project:
        project.explore(port=port, browser=not no_browser, ready=ready)
