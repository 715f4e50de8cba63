"""`anonduck demo`: the main job from beginning to end on a synthetic export."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.frontier_tables import print_candidates
from anonduck.cli.options import json_option
from anonduck.cli.terminal import print_json, reporting, say


@click.command("demo")
@click.argument("folder", default="anonduck-demo", metavar="[DIR]")
@click.option("--overwrite", is_flag=True, help="Replace the files of an earlier demo.")
@json_option
def demo_command(folder: str, overwrite: bool, as_json: bool) -> None:
    """Run the whole workflow on 50,000 synthetic records.

    Everything is written to DIR, anonduck-demo by default.
    """
    from anonduck.demo.demo import demonstrate
    from anonduck.opened_project import here

    with reporting() as reporter:
        shown = demonstrate(Path(folder), here=here(), overwrite=overwrite, reporter=reporter)
    if as_json:
        print_json(shown.as_json())
        return
    say("")
    print_candidates(shown.candidates, shown.discovered)
    release, candidate = shown.run.release, shown.run.candidate
    say(f"\nreleased {candidate.id if candidate else ''}: {release.rows:,} records, k = {release.k}")
    say(shown.run.reason)
    say("\nfiles:")
    for file, words in shown.files.items():
        say(f"  {file}  {words}")
    say("\nnext:")
    for command in shown.next_commands:
        say(f"  {command}")
