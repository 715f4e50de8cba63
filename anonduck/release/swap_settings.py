"""What the options of a method that swaps say, read from their texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anonduck.errors import ConfigError
from anonduck.methods.permutation import check_blocks
from anonduck.release.recoder import ReleaseInputs
from anonduck.statements.column_types import is_numeric


@dataclass(frozen=True)
class SwapSettings:
    """The blocks of columns that are given, none if they are to be found; the largest number to show, and the level of
    its taxonomy, of single columns; whether values that one record alone has are shown."""

    blocks: tuple[tuple[str, ...], ...]
    top: Mapping[str, float]
    levels: Mapping[str, int]
    unique: bool


AS_THEY_ARE = SwapSettings((), {}, {}, unique=True)
"""No blocks are given, and all values are shown."""


def swap_settings(options: Mapping[str, Any]) -> SwapSettings:
    """Read the options of a method; raises ConfigError for a text that does not say what it should."""
    top = {name: _number(name, text) for name, text in pairs("top", options["top"]).items()}
    levels = {name: _level(name, text) for name, text in pairs("levels", options["levels"]).items()}
    twice = [name for name in top if name in levels]
    if twice:
        raise ConfigError(f"{twice[0]!r} has both a largest number and a level; give one of the two")
    return SwapSettings(_blocks(options["blocks"]), top, levels, bool(options["unique"]))


def check_settings(settings: SwapSettings, inputs: ReleaseInputs) -> None:
    """Raise ConfigError for columns that are no quasi-identifiers, or cannot be shown like that."""
    names = inputs.roles.quasi_identifiers
    if settings.blocks:
        check_blocks(settings.blocks, names)
    for name in (*settings.top, *settings.levels):
        if name not in names:
            raise ConfigError(f"{name!r} is no quasi-identifier; those are {', '.join(map(repr, names))}")
    for name in settings.top:
        if not is_numeric(inputs.source.column(name).type):
            raise ConfigError(f"{name!r} holds no numbers, so that it has no largest one to show")


def _blocks(text: str) -> tuple[tuple[str, ...], ...]:
    """``a+b, c+d``, or a JSON list of lists for names that hold such signs."""
    if not text.strip():
        return ()
    if not text.lstrip().startswith("["):
        return tuple(tuple(name.strip() for name in block.split("+")) for block in text.split(","))
    found = _json("blocks", text)
    if not all(isinstance(block, list) and all(isinstance(name, str) for name in block) for block in found):
        raise ConfigError('the option \'blocks\' lists blocks of names, such as [["age", "sex"], ["job"]]')
    return tuple(map(tuple, found))


def pairs(option: str, text: str, form: str = "COLUMN=NUMBER") -> dict[str, Any]:
    """``a=1, b=2``, or a JSON object for names that hold such signs; raises ConfigError for what has another form."""
    if not text.strip():
        return {}
    if text.lstrip().startswith("{"):
        return dict(_json(option, text))
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(sign for _, sign, _ in parts):
        raise ConfigError(f"the option {option!r} takes {form}, separated by commas, or a JSON object")
    found = {name.strip(): value.strip() for name, _, value in parts}
    if len(found) < len(parts):
        raise _twice(option, found)
    return found


def _twice(option: str, found: Iterable[str]) -> ConfigError:
    return ConfigError(f"the option {option!r} names a column twice; name each of {', '.join(map(repr, found))} once")


def _json(option: str, text: str) -> Any:
    def once(given: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(given)
        if len(found) < len(given):
            raise _twice(option, found)
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ConfigError(f"the option {option!r} is no JSON: {error.msg}") from None


def _number(name: str, text: Any) -> float:
    try:
        found = float(text)
    except (TypeError, ValueError):
        raise ConfigError(f"the largest number to show of {name!r} is no number") from None
    return int(found) if found.is_integer() else found


def _level(name: str, text: Any) -> int:
    try:
        found = int(text)
    except (TypeError, ValueError):
        found = 0
    if found < 1:
        raise ConfigError(f"the level of {name!r} is a whole number from 1 on: a level of its taxonomy under the root")
    return found
