"""Options made from the config: a key of anonduck.yml is declared once, and its option takes type and words from there.

The help of an option is the first sentence of the key's description, and its default what stands there behind
"; default: ", or the value that the key has by default.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anonduck.cli.completion import Completer, columns, names
from anonduck.cli.options import once
from anonduck.config.config import Config
from anonduck.config.selection import WORKLOAD
from anonduck.config.taxonomy import MAX_COUNT, Unit
from anonduck.rules.measure_names import OBJECTIVES

F = TypeVar("F", bound=Callable[..., Any])
_NAMED_IN_TEXT = re.compile(r"`(\w+)`")
_SINGULAR = {
    "identifiers": "--identifier",
    "measures": "--measure",
    "models": "--model",
    "quasi_identifiers": "--quasi-identifier",
}
"""Keys of several values whose option, which repeats, gives one."""

_ALSO = {"models": "; none measures none"}
"""What an option takes that its key does not."""


class NumberOr(click.ParamType):  # type: ignore[type-arg] # generic only in newer versions of click
    """A number as another type reads it, or a word in its place, such as ``all``."""

    def __init__(self, number: click.IntRange | click.FloatRange, word: str) -> None:
        self.number, self.word = number, word
        self.name = word

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """The number or the word; ends in a click.BadParameter for anything else."""
        if value == self.word:
            return self.word
        try:
            return self.number.convert(value, parameter, context)
        except click.BadParameter:
            self.fail(f"it takes {self._range}, or {self.word}; got {value!r}", parameter, context)

    @property
    def _range(self) -> str:
        """The numbers that it takes, in words."""
        if self.number.max is None:
            return f"a number of at least {self.number.min}"
        return f"a number from {self.number.min:g} to {'under ' if self.number.max_open else ''}{self.number.max:g}"


def option_of(
    key: str,
    *flags: str,
    model: type[BaseModel] = Config,
    text: str | None = None,
    default: str | None = None,
    once: bool = False,
    **how: Any,
) -> Callable[[F], F]:
    """The option that sets a key of the config: with its type, its placeholder, its help and its default.

    Args:
        key: the key, of the config or of the part of it that ``model`` is.
        flags: what the option is called, by default ``--`` and the key.
        model: the part of the config that declares the key.
        text: help where a command uses the key for a purpose of its own, as a sentence.
        default: what stands for the option where it is not given, if that is not the key's default.
        once: whether one of several is taken alone.
        how: further arguments of ``click.option``.
    """
    name, field = next((name, one) for name, one in model.model_fields.items() if key in (name, one.alias))
    kind, several = _type_of(field.annotation, field.metadata)
    multiple = several and not once
    words, _, stated = (field.description or "").partition(". ")[0].partition("; default: ")
    words = _for_a_shell(words) + _ALSO.get(key, "")
    usual = default or _for_a_shell(stated) or _default_text(field)
    sentences = [text or f"{words[0].upper()}{words[1:]}.", *(["Repeatable."] if multiple else [])]
    shown = " ".join(sentences) + (f"  [default: {usual}]" if usual else "")
    argument = name if key == field.alias and name == f"{key}_" else key
    given = {**kind, **({"multiple": True} if multiple else {}), "help": shown, **how}
    return click.option(*(flags or (_SINGULAR.get(key, f"--{key.replace('_', '-')}"),)), argument, **given)


def settings_options(*keys: str) -> Callable[[F], F]:
    """Options of a command for these keys of the config; it gets the given ones as its argument ``changes``."""

    def with_options(command: F) -> F:
        @functools.wraps(command)
        def called(**given: Any) -> Any:
            taken = {key: given.pop(key) for key in keys}
            changes = {key: _read(key, value) for key, value in taken.items() if value not in (None, ())}
            return command(changes=changes, **given)

        for key in reversed(keys):
            called = option_of(key, **_COMPLETED.get(key, {}))(called)
        return called  # type: ignore[return-value] # click calls it by the names of all options

    return with_options


_COMPLETED: Mapping[str, Mapping[str, Any]] = {
    "keep": {"metavar": "COLUMN[=N]", "shell_complete": columns},
    "select": {"shell_complete": names([*OBJECTIVES, WORKLOAD])},
}


def _type_of(annotation: Any, metadata: Sequence[Any]) -> tuple[dict[str, Any], bool]:  # noqa: PLR0911 - one a type
    """Arguments of click for values of a type, and whether there may be several."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner = (part.metadata if isinstance(part, FieldInfo) else [part] for part in parts[1:])
        return _type_of(parts[0], [*metadata, *(one for several in inner for one in several)])
    if origin in (Union, UnionType):
        some = [part for part in parts if part is not NoneType]
        word = next((get_args(part)[0] for part in some if get_origin(part) is Literal), None)
        kind, multiple = _type_of(some[0], metadata)
        if word is not None and any(get_origin(part) is list for part in some):  # one word, or a list of them
            return kind, True
        if word is None or len(some) == 1:
            return kind, multiple
        return {"type": NumberOr(kind["type"], word), "metavar": f"{kind['metavar']}|{word}"}, False
    if origin is list:
        return _type_of(parts[0], metadata)[0], True
    if origin is dict:
        return _type_of(parts[0], metadata)[0], True
    unit = next((one.name for one in metadata if isinstance(one, Unit)), None)
    if origin is Literal:
        known = list(get_args(annotation))
        return ({"metavar": unit, "shell_complete": names(known)} if unit else {"type": click.Choice(known)}), False
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = next(iter(annotation.model_fields.values()))
        return _type_of(field.annotation, field.metadata)
    return _number(annotation, metadata, unit) or _text(unit), False


def _number(annotation: Any, metadata: Sequence[Any], unit: str | None) -> dict[str, Any] | None:
    bounds = {name: getattr(one, name) for one in metadata for name in ("ge", "gt", "le", "lt") if hasattr(one, name)}
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if annotation is int:
        return {"type": click.IntRange(least, None if most == MAX_COUNT else most), "metavar": unit or "N"}
    if annotation is float:
        ends = {"min_open": "gt" in bounds, "max_open": "lt" in bounds}
        return {"type": click.FloatRange(least, most, **ends), "metavar": unit or "X"}
    return None


def _text(unit: str | None) -> dict[str, Any]:
    completed: dict[str, Completer] = {"shell_complete": columns} if unit == "COLUMN" else {}
    return {"metavar": unit or "TEXT", **completed}


def _default_text(field: FieldInfo) -> str:
    """The default of a key as text for help; empty if it is None, false or empty."""
    if field.is_required():
        return ""
    value = field.get_default(call_default_factory=True)
    value = value.model_dump() if isinstance(value, BaseModel) else value
    if value is None or isinstance(value, (bool, Mapping)):
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _for_a_shell(text: str) -> str:
    """A description with its keys as options of a shell, and its values without quotes."""
    known = {field.alias or name for name, field in Config.model_fields.items()}

    def said(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" if found[1] in known else found[1]

    return _NAMED_IN_TEXT.sub(said, text)


def _read(key: str, value: Any) -> Any:
    """What an option was given, as the config takes it."""
    if key == "keep":
        return levels_at_most(value)
    if key == "models" and "none" in value:
        if len(value) > 1:
            raise click.UsageError(
                "--model none cannot be combined with other models; it means that no model is measured"
            )
        return []
    return list(value) if isinstance(value, tuple) else value


def levels_at_most(texts: Sequence[str]) -> dict[str, int | None]:
    """Read ``--keep COLUMN=N``; what follows the last equals sign is a level if it is a number, else of the name."""
    return once(map(_level_at_most, texts), "--keep")


def _level_at_most(text: str) -> tuple[str, int | None]:
    name, _, level = text.rpartition("=")
    return (name, int(level)) if name and level.isdecimal() else (text, None)
