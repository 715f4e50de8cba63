"""The command lock: what is released by from now on, written into a file for git."""

from __future__ import annotations

import click

from anonduck.cli.figures import reached, requirement
from anonduck.cli.options import config_option, json_option
from anonduck.cli.rule_tables import print_persons
from anonduck.cli.terminal import print_json, reporting, say


@click.command("lock")
@click.argument("rule", required=False)
@click.option("--check", is_flag=True, help="Check the present lock against the source; write nothing.")
@config_option
@json_option
def lock_command(path: str, as_json: bool, rule: str | None, check: bool) -> None:
    """Lock RULE, or a method, in anonduck.lock.yml.

    RULE is an id (R12), a literal (age=3) or the name of a method; without it, what run
    releases by is locked. Keep the file in git: run --locked applies exactly what it holds,
    and refuses if the source misses the requirement or has values that are not in it.
    """
    from anonduck.project import Project

    with reporting() as reporter, Project(path, reporter=reporter) as project:
        done = project.lock(rule, check=check)
    if as_json:
        print_json(done.as_json())
        return
    made = done.release
    say(f"{'checked' if check else 'locked'} {done.lock.text} in {done.path}")
    say(f"it releases {made.rows:,} records in {made.classes:,} equivalence classes, k = {made.k:,}")
    for line in made.owner["requirements"]:
        say(f"{requirement(line)}: met ({reached(line['reached'])})")
    print_persons(made.owner)
    if done.built:
        say(
            f"built from the records, so known to this decision database alone: the taxonomies of "
            f"{', '.join(done.built)}. For runs elsewhere, export them and name the files in the config",
            err=True,
        )
