"""The command explore: a page on which rules are tried, served to this machine alone."""

from __future__ import annotations

import contextlib

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.terminal import print_json, reporting, say


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
