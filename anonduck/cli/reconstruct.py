"""The command reconstruct: specific tables drawn from a release by distributions."""

from __future__ import annotations

from pathlib import Path

import click

from anonduck.cli.options import delim_option, taxonomies_option
from anonduck.cli.terminal import say, tracer


@click.command("reconstruct", short_help="Draw tables from a release by nsvdist for models.")
@click.argument("release")
@click.option("-n", "count", type=click.IntRange(min=1), default=10, show_default=True, help="Number of tables.")
@click.option("--class", "class_", metavar="COLUMN", help="Column of distributions.  [default: the receipt's]")
@click.option(
    "--original",
    metavar="SOURCE",
    help="Draw values as often as they occur in this table, which only its owner has.  [default: the receipt's]",
)
@taxonomies_option("Taxonomy of a column, leaf first, for labels without frequencies. Repeatable.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is drawn.")
@delim_option
@click.option("-o", "--output", required=True, metavar="FOLDER", help="Folder to write table_1.csv and so on to.")
def reconstruct_command(
    release: str,
    count: int,
    class_: str | None,
    original: str | None,
    taxonomies: dict[str, str],
    seed: int,
    delim: str | None,
    output: str,
) -> None:
    """Draw specific tables from a RELEASE of distributions, which any model can learn from.

    Each label becomes a value under it, each distribution a value of the class. Values are
    those of --original, of the receipt, of a taxonomy, or of the data dictionary
    beside RELEASE; where none names one, it is refused. What is drawn is nobody's record.
    """
    from anonduck.auditing.reconstruction import reconstruct

    folder = Path(output)
    tables = reconstruct(
        release,
        count,
        class_=class_,
        original=original,
        taxonomies=taxonomies,
        seed=seed,
        delim=delim,
        tracer=tracer(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(tables, start=1):
        table.to_csv(folder / f"table_{number}.csv", index=False)
    say(f"wrote {count:,} tables of {len(tables[0]):,} records to {folder}")
