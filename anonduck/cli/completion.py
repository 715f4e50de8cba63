"""What a shell offers after TAB: ids of rules, columns, names of measures. Nothing is written, no error shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.config.file_names import FILE_NAME

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

Completer = Callable[["click.Context", "click.Parameter", str], "list[CompletionItem]"]


def rule_ids(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The rules of the last discovery, each with its literal beside it where a shell shows that."""
    from click.shell_completion import CompletionItem

    from anonduck.errors import AnonduckError
    from anonduck.search.stored_rules import stored_ids

    try:
        known = stored_ids(_config(context))
    except AnonduckError:
        return []
    return [CompletionItem(one, help=literal) for one, literal in known if one.lower().startswith(incomplete.lower())]


def query_files(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The query files."""
    from anonduck.statements.template import query_names

    return _beginning(query_names(), incomplete)


def columns(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The columns that the config names; the source is not opened."""
    from anonduck.config.reading import read_config
    from anonduck.errors import AnonduckError

    try:
        config = read_config(_config(context))
    except AnonduckError:
        return []
    named = [name for names in config.named_roles().values() for name in names]
    return _beginning([*named, *config.taxonomies], incomplete)


def names(known: Sequence[str]) -> Completer:
    """A completer of fixed names."""

    def completed(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return _beginning(known, incomplete)

    return completed


def _beginning(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(one) for one in dict.fromkeys(known) if one.lower().startswith(incomplete.lower())]


def _config(context: click.Context) -> Path:
    """The config of ``-p``, where it stands on the line by now, or the one of this folder."""
    own = context.params.get("path") or context.params.get("project")
    return Path(config_path(own or context.find_root().params.get("path") or FILE_NAME))


def config_path(given: str) -> str:
    """The path of a config that is given by itself or by its folder."""
    return os.path.join(given, FILE_NAME) if os.path.isdir(given) else given
