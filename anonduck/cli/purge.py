"""The command purge: remove what holds personal data."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.options import config_option, json_option
from anonduck.cli.terminal import print_json, say


@click.command("purge", short_help="Delete the decision database and its spill files.")
@config_option
@json_option
def purge_command(path: str, as_json: bool) -> None:
    """Delete the decision database with its log and spill files.

    The config and releases are kept.
    """
    from anonduck.init.purge import purge

    removed = [str(file) for file in purge(Path(path))]
    if as_json:
        print_json({"removed": removed})
        return
    say("removed " + ", ".join(removed) if removed else "nothing to remove")
