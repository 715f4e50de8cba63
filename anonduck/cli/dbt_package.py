"""The command dbt-package: where the dbt package is, or a copy of it."""

from __future__ import annotations

import click

from anonduck.cli.terminal import say


@click.command("dbt-package", short_help="Show or copy the dbt package of tests and hooks.")
@click.argument("folder", required=False)
def dbt_package_command(folder: str | None) -> None:
    """Show where the dbt package is, or copy it to FOLDER.

    It has the tests k_anonymity and l_diversity and the post-hooks anonduck_require_k and
    anonduck_require_l. Name its folder in packages.yml as `local:`; a copy can be in git.
    """
    from pathlib import Path

    from anonduck.release.dbt.package_files import copy_package, package_folder

    if folder is None:
        click.echo(str(package_folder()))
        return
    copied = copy_package(Path(folder))
    say(f"wrote {copied}; name it in packages.yml: `- local: {folder}`")
