"""Help with the options of a command in named sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class SectionedCommand(click.Command):
    """A command whose help lists options by section; options of no section stand at the end.

    ``sections`` maps a title to names of parameters, both in the order of the help.
    """

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[str]], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.sections = sections

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section after the other."""
        options = {one.name: one for one in self.get_params(context) if isinstance(one, click.Option)}
        for title, names in self.sections.items():
            _write(title, [options.pop(name) for name in names], context, formatter)
        _write("Other options", list(options.values()), context, formatter)


def _write(title: str, options: Sequence[click.Option], context: click.Context, formatter: click.HelpFormatter) -> None:
    records = [record for option in options if (record := option.get_help_record(context)) is not None]
    if records:
        with formatter.section(title):
            formatter.write_dl(records)
