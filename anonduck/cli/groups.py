"""Kinds of commands: groups that import a command when it is called, and commands whose help has sections."""

from __future__ import annotations

import importlib
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from anonduck.cli.terminal import SHOW_SQL, VERBOSE
from anonduck.words import did_you_mean

VERBOSE_HELP = "Say more on stderr, such as how each taxonomy was built."
SHOW_SQL_HELP = "Print each SQL statement on stderr as it runs, with its values: as sensitive as the source."


EXAMPLES: Mapping[str, Sequence[str]] = {
    "demo": ("anonduck demo", "anonduck demo somewhere --overwrite"),
    "init": (
        "anonduck init people.parquet --class churned",
        "anonduck init people.csv --class churned --csv encoding=latin-1",
        "anonduck init shop.duckdb::sales.customers --class churned -q income",
    ),
    "advise": ("anonduck advise", "anonduck advise -p customers/ --json"),
    "quasi-identifiers": ("anonduck quasi-identifiers", "anonduck quasi-identifiers --share 0.9"),
    "taxonomy build": (
        "anonduck taxonomy build",
        "anonduck taxonomy build age --option width=10 --replace",
        "anonduck taxonomy build town --cluster-on income --replace",
    ),
    "taxonomy import": (
        "anonduck taxonomy import jobs.csv --column job",
        "anonduck taxonomy import zip.csv --column zip --sep ';' --encoding latin-1",
    ),
    "taxonomy export": (
        "anonduck taxonomy export job -o job.csv",
        "anonduck taxonomy export job --format dbt -o seeds/job.csv",
    ),
    "taxonomy show": ("anonduck taxonomy show age", "anonduck taxonomy show age --level 2"),
    "taxonomy check": ("anonduck taxonomy check", "anonduck taxonomy check job --show-values"),
    "taxonomy list": ("anonduck taxonomy list",),
    "taxonomy mapping": (
        "anonduck taxonomy mapping R12 -o mapping.csv",
        "anonduck taxonomy mapping age=3,sex=0 -o mapping.parquet",
    ),
    "discover": (
        "anonduck discover",
        "anonduck discover --model none --select loss",
        "anonduck discover --keep age=2 --model tree --model forest",
    ),
    "rules": ("anonduck rules", "anonduck rules R12", "anonduck rules --json"),
    "frontier": (
        "anonduck frontier",
        "anonduck frontier --objective k --objective loss --plot",
        "anonduck frontier --expected",
    ),
    "report": ("anonduck report -o decision.html", "anonduck report -o certificate.html --release out.parquet"),
    "release": (
        "anonduck release R12 -o out.parquet",
        "anonduck release 'age=3,\"home town\"=1' -o out.csv --require k=10",
        "anonduck release R12 --dry-run",
    ),
    "anonymize": (
        "anonduck anonymize --list",
        "anonduck anonymize mondrian -k 10 -o out.parquet",
        "anonduck anonymize mondrian --set strict=false -o out.parquet",
    ),
    "usefulness": ("anonduck usefulness",),
    "compare": (
        "anonduck compare --method mondrian -k 5 -k 10 -o compared",
        "anonduck compare --method rules -k 5 --protocol held-out",
    ),
    "sql": ("anonduck sql R12", "anonduck sql R12 --dialect bigquery -o release.sql"),
    "audit": (
        "anonduck audit out.parquet --class churned --require k=5",
        "anonduck audit out.csv --sensitive diagnosis --require l=2 --format junit",
        "anonduck audit out.parquet -p anonduck.yml --require k=5",
    ),
    "attack": (
        "anonduck attack out.parquet --original people.parquet --class churned",
        "anonduck attack out.parquet --original in.parquet --control others.parquet",
        "anonduck attack out.parquet --original people.parquet -p . --roles",
        "anonduck attack out.parquet --original in.csv --sensitive job --minimality",
    ),
    "reconstruct": ("anonduck reconstruct out.parquet -n 5 -o tables",),
    "run": (
        "anonduck run -o out.parquet --overwrite",
        "anonduck run -o shop.duckdb::released --reselect --json",
    ),
    "purge": ("anonduck purge", "anonduck purge -p customers/"),
    "explore": ("anonduck explore", "anonduck explore --port 8765 --no-browser"),
    "lock": ("anonduck lock R12", "anonduck lock --check"),
    "dbt-package": ("anonduck dbt-package", "anonduck dbt-package packages/anonduck"),
    "schema": ("anonduck schema > anonduck.schema.json",),
}
"""By the words of a command, lines of a shell."""


def examples_of(words: str) -> str:
    """The part of a command's help that shows what to type; empty for a command without examples.

    >>> print(examples_of("usefulness"))
    Examples:
      anonduck usefulness
    """
    lines = EXAMPLES.get(words, ())
    return "\n".join(["Examples:", *(f"  {line}" for line in lines)]) if lines else ""


class LazyGroup(click.Group):
    """A group of commands, each imported when it is called, so that the others cost nothing.

    ``homes`` maps the name of a command to the module of this folder that holds its function, ``NAME_command`` behind
    the ``prefix`` of the group, with _ for -. ``helps`` are the lines of the group's help on its commands; one that has
    none there is imported for it.
    """

    def __init__(
        self,
        *arguments: Any,
        homes: Mapping[str, str],
        prefix: str = "",
        helps: Mapping[str, str] = MappingProxyType({}),
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        self.homes = homes
        self.helps = helps
        self.prefix = prefix

    def list_commands(self, _: click.Context) -> list[str]:
        """The commands in the order of the work."""
        return list(self.homes)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; a similar name is offered for one that does not exist."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            raise click.UsageError(f"{error.message.rstrip('.')}{did_you_mean(args[0], self.homes)}", context) from None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with its line of help."""
        width = formatter.width - 6 - max(map(len, self.homes))
        rows = []
        for name in self.homes:
            command = None if name in self.helps else self.get_command(context, name)
            rows.append((name, self.helps[name] if command is None else command.get_short_help_str(width)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, context: click.Context) -> Any:
        """Run the command; it is done where who reads what it prints has read enough, as `head` does."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from None

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        if name not in self.homes:
            return None
        function = self.prefix + name.replace("-", "_")
        module = importlib.import_module(f"anonduck.cli.{self.homes[name]}")
        command: click.Command = getattr(module, f"{function}_command")
        words = f"{self.prefix.replace('_', ' ')}{name}"
        if not isinstance(command, click.Group):
            command.epilog = f"\b\n{examples_of(words)}"
        return with_shared_options(command)


def with_shared_options(command: click.Command) -> click.Command:
    """A command with ``--verbose`` and ``--show-sql``, which all have; a group passes them on to its commands."""
    if not isinstance(command, click.Group) and not any(option.name == "show_sql" for option in command.params):
        command.params[-1:-1] = [
            _noted(VERBOSE, VERBOSE_HELP, "-v", "--verbose"),
            _noted(SHOW_SQL, SHOW_SQL_HELP, "--show-sql"),
        ]
        for option in command.params:
            if isinstance(option, click.Option) and option.type is click.STRING and option.callback is None:
                option.callback = _said
    return command


def _said(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """The texts of an option; one that is empty is refused, as it would be taken for no option at all."""
    if "" in (value if isinstance(value, tuple) else (value,)):
        raise click.BadParameter("it is empty; write a text, or leave the option out", context, option)
    return value


def _noted(key: str, text: str, *flags: str) -> click.Option:
    """A flag that is noted in the context under a key, and given to no command."""

    def chosen(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            context.meta[key] = True

    return click.Option(flags, is_flag=True, expose_value=False, callback=chosen, help=text)


class SectionedCommand(click.Command):
    """A command whose help lists options by section; options of no section stand at the end.

    ``sections`` maps a title to names of parameters, both in the order of the help.
    """

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[str]], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.sections = sections

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; raises click.UsageError for an option of one value that is given twice."""
        _, _, order = self.make_parser(context).parse_args(args=list(args))
        for option, times in Counter(order).items():
            if times > 1 and isinstance(option, click.Option) and not (option.multiple or option.is_flag):
                raise click.UsageError(f"{option.opts[-1]} is given {times} times; give it once", context)
        return super().parse_args(context, args)

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
