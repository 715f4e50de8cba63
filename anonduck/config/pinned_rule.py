"""The key `rule` of a config file, set in its text: whatever else stands in the file stays, comments too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from anonduck.config.reading import config_of
from anonduck.database.private_file import write_whole
from anonduck.errors import ConfigError

KEY = "rule"
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class PinnedRule:
    """What was done to a config file: its text before, and as it was written."""

    path: Path
    before: str
    after: str

    def undo(self) -> None:
        """Write the text that was there before; raises ConfigError if the file was changed since."""
        if _text(self.path) != self.after:
            raise ConfigError(f"{self.path} was changed since the rule was saved in it; edit it by hand")
        write_whole(self.path, self.before)


def pin_rule(path: Path, rule: str) -> PinnedRule:
    """Set the key `rule` of a config file to a rule, in place of another one, and nothing else.

    Raises ConfigError, and leaves the file as it is, where the new text would say anything else than the old one beside
    the rule, or would be no config.
    """
    before = _text(path)
    after = with_rule(before, rule)
    if after is None:
        raise ConfigError(f"{path} is written in a way that is not edited here; set `{KEY}: {_quoted(rule)}` by hand")
    config_of(after.removeprefix(BYTE_ORDER_MARK), path)
    write_whole(path, after)
    return PinnedRule(path, before, after)


def with_rule(text: str, rule: str) -> str | None:
    """The text of a config with the rule set; None where that cannot be done without a change to anything else."""
    mark, body = (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)
    try:
        node = yaml.compose(body, Loader=yaml.SafeLoader)
        if not isinstance(node, yaml.MappingNode) or node.flow_style:
            return None
        edited = _edited(body, node, _quoted(rule))
        same = _without_rule(edited) == _without_rule(body) and yaml.safe_load(edited)[KEY] == rule
    except yaml.YAMLError:
        return None
    return mark + edited if same and _comments(edited) == _comments(body) else None


def _edited(body: str, node: yaml.MappingNode, value: str) -> str:
    for key, held in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value == KEY:
            start, end = held.start_mark.index, held.end_mark.index
            space = "" if body[start - 1].isspace() else " "
            return body[:start] + space + value + body[end:]
    line_end = "\r\n" if "\r\n" in body else "\n"
    indent = " " * node.start_mark.column
    ended = body if not body or body.endswith(("\n", "\r")) else body + line_end
    return f"{ended}{indent}{KEY}: {value}{line_end}"


def _quoted(rule: str) -> str:
    """A rule as YAML: in single quotes, which escape nothing but themselves, or as JSON where a name takes escapes."""
    return "'" + rule.replace("'", "''") + "'" if rule.isprintable() else json.dumps(rule)


def _without_rule(text: str) -> dict[Any, Any]:
    loaded: Mapping[Any, Any] = yaml.safe_load(text)
    return {name: value for name, value in loaded.items() if name != KEY}


def _comments(text: str) -> list[str]:
    """What follows the first number sign of each line: the comments, and parts of values, which stay too."""
    return [line.partition("#")[2] for line in text.splitlines() if "#" in line and not line.strip().startswith(KEY)]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"the config {path} cannot be read: {why}") from None
