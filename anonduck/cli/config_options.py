"""Options that several commands take and that are made from keys of the config, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from anonduck.cli.settings import option_of
from anonduck.config.requirement import RequirementOptions

F = TypeVar("F", bound=Callable[..., Any])

unmapped_option = option_of("unmapped", default="the config's")
bounds_option = option_of("bounds", default="the config's")


def roles_options(command: F) -> F:
    """The options that name roles of columns, and how files are read, for a config to be proposed."""
    quasi = option_of("quasi_identifiers", "-q", "--quasi-identifier", default="as names and values suggest")
    csv = click.option(
        "--csv",
        multiple=True,
        metavar="KEY=VALUE",
        help="How a CSV file is written, such as encoding=latin-1, delim=';' or nullstr=NA. Repeatable.",
    )
    missing = option_of("missing_columns")
    for option in (missing, csv, quasi, *map(option_of, ("entity", "insensitive", "sensitive", "drop", "identifiers"))):
        command = option(command)
    return command


SHARED = "Records that share each combination of generalized values, at least."
SHOWN = (
    "What classes may show: the ranges of their values, typical values, or swapped ones; `run` chooses among the first "
    "two."
)


def proposal_options(command: F) -> F:
    """The options that say what a proposed config requires, what it reads and what ``run`` chooses among."""
    k = option_of("k", "-k", model=RequirementOptions, text=SHARED)
    where = option_of("where")
    methods = click.option(
        "--method",
        "methods",
        multiple=True,
        metavar="NAME",
        help="What `run` chooses among, such as `rules` for rules alone, or one method that it releases by, such as "
        "nsvdist. Repeatable.  "
        "[default: rules, mondrian and, with a class, mondrian:splits=entropy]",
    )
    for option in (option_of("show", text=SHOWN), methods, where, k):
        command = option(command)
    return command
