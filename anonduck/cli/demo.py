"""`anonduck demo`: the main job from beginning to end on a synthetic export."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.options import json_option
from anonduck.cli.rule_tables import print_accuracies, print_baseline, print_expected, print_rules
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
    print_baseline(shown.summary)
    print_rules(shown.frontier, shown.summary["models"])
    print_accuracies(shown.frontier, shown.summary["models"], shown.rules_found)
    release = shown.run.release
    say(f"\nreleased {shown.run.rule.id if shown.run.rule else ''}: {release.rows:,} records, k = {release.k}")
    print_expected(shown.run.expected)
    say("\nfiles:")
    for file, words in shown.files.items():
        say(f"  {file}  {words}")
    say("\nnext:")
    for command in shown.next_commands:
        say(f"  {command}")
