"""`anonduck demo`: the main job from beginning to end on a synthetic export."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonduck.cli.candidate_tables import print_offer
from anonduck.cli.options import json_option
from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json, reporting, say

if TYPE_CHECKING:
    from anonduck.demo.records import ShownRecord


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
    _print_records(shown.records)
    say("")
    print_offer(shown.candidates, shown.run.weighed_by)
    release, candidate = shown.run.release, shown.run.candidate
    if shown.run.left_out:
        say(f"\n{shown.run.left_out}")
    say(f"\nreleased {candidate.id if candidate else ''}: {release.rows:,} records, k = {release.k}")
    say(shown.run.reason)
    say("\nfiles:")
    for file, words in shown.files.items():
        say(f"  {file}  {words}")
    say("\nnext:")
    for command in shown.next_commands:
        say(f"  {command}")


def _print_records(records: Sequence[ShownRecord]) -> None:
    """Print records of the export, and the same as the release shows them."""
    for title, rows in (
        ("of the export", [one.export for one in records]),
        ("the same in the release", [one.release for one in records]),
    ):
        if rows:
            say(f"\n{title}:")
            print_table(list(rows[0]), [list(row.values()) for row in rows])
