"""Read configs, from the YAML of anonduck.yml or from keys given as arguments, with errors that name the key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from anonduck.config.config import Config, CsvOptions
from anonduck.config.file_names import FILE_NAME
from anonduck.config.file_text import ARGUMENTS, WRITES_CONFIG, read_text
from anonduck.config.requirement import RequirementOptions
from anonduck.config.taxonomy import NullMeans, TaxonomyOptions
from anonduck.errors import ConfigError
from anonduck.words import did_you_mean, known_names


class _Loader(yaml.SafeLoader):
    """YAML whose keys stand once, and whose texts stay as written: `no` is no boolean, 0012 and 12:30 no numbers.

    Aliases are refused: a page of them can stand for more values than there is memory.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """A node that stands where it is written."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call] # as all of PyYAML's parser
            words = f"YAML aliases such as *{event.anchor} are not supported; write out what it stands for"
            raise yaml.constructor.ConstructorError(problem=words, problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping; YAML would let the last of two equal keys win, and drop the identifiers of the first."""
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                words = f"the key {key.value!r} occurs twice; merge the two"
                raise yaml.constructor.ConstructorError(problem=words, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag.removeprefix("tag:yaml.org,2002:") not in ("bool", "timestamp", "int", "float")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^(?:[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)\.[0-9]*)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ),
    list("-+.0123456789"),
)

Read = TypeVar("Read", bound=BaseModel)


def read_config(path: Path) -> Config:
    """Read and validate a config file; raises ConfigError with the key, what is allowed and what came."""
    return make_config(read_mapping(path, "config", WRITES_CONFIG, FILE_NAME), whose=str(path))


def read_mapping(path: Path, what: str, call: str, name: str) -> dict[str, Any]:
    """Read a YAML file that holds a mapping.

    Args:
        path: the file.
        what: what messages call it, such as ``config``.
        call: the call that writes such a file.
        name: its usual name in a folder.

    Raises ConfigError if the file cannot be read or holds anything else.
    """
    return mapping_of(read_text(path, what, call, name), path, what, call)


def config_of(text: str, path: Path) -> Config:
    """Validate the text of a config file; raises ConfigError, which names the file by its path."""
    return make_config(mapping_of(text, path), whose=str(path))


def mapping_of(text: str, path: Path, what: str = "config", call: str = WRITES_CONFIG) -> dict[str, Any]:
    """The keys of a YAML file by its text; raises ConfigError, which names the file by its path."""
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with fewer implicit types
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise ConfigError(f"the {what} {path}{where} is not valid YAML: {problem}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"the {what} {path} must be a mapping of keys to values; `{call}` writes one")
    return data


def make_config(data: dict[str, Any], *, whose: str = ARGUMENTS) -> Config:
    """Validate config keys given as a mapping (``class`` or ``class_``); raises ConfigError.

    A key of a file that is left empty is refused; an argument that is None is one that was not given, but for what is
    required.
    """
    asked = {name: data[name] for name in ("requirement",) if data.get(name) is not None}
    written = asked if whose == ARGUMENTS else data
    refuse_empty(Config, written, whose=whose)
    return validated(Config, data, whose=whose)


def refuse_empty(model: type[BaseModel], written: Mapping[str, Any], *, whose: str) -> None:
    """Raise ConfigError for keys that are written and left empty, at any depth: null would take back what they decide.

    A field whose null has a meaning says so by ``NullMeans``.
    """
    empty = list(_empty(written, model))
    if empty:
        raise ConfigError(f"{whose}: {', '.join(empty)}: it is empty; write a value, or take the key out")


def _empty(value: Any, kind: Any, place: str = "") -> Iterator[str]:
    """The places at which a value of a kind is empty though its field allows for null only by not being written."""
    if not isinstance(value, Mapping):
        return
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = {name: field for key, field in kind.model_fields.items() for name in (key, field.alias)}
        for name, one in value.items():
            field, where = fields.get(name), f"{place}{name}"
            if field is None:
                continue
            if one is None and not any(isinstance(said, NullMeans) for said in field.metadata):
                yield where
            yield from _empty(one, field.annotation, f"{where}.")
    elif get_origin(kind) is dict:
        for name, one in value.items():
            yield from _empty(one, get_args(kind)[1], f"{place}{name}.")
    else:
        for inner in get_args(kind):
            yield from _empty(value, inner, place)


def validated(model: type[Read], data: Mapping[str, Any], *, whose: str) -> Read:
    """Validate the keys of a file by their model; raises ConfigError with the key, what is allowed and what came."""
    try:
        return model.model_validate(_plain(data))
    except ValidationError as error:
        raise ConfigError(
            f"{whose}: " + "; ".join(dict.fromkeys(_explained(item, model) for item in error.errors()))
        ) from None


def _plain(value: Any) -> Any:
    """Convert numbers of other libraries, such as NumPy's, to Python's own, because keys accept no other types."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, Real) and not isinstance(value, (bool, int, float)):
        return int(value) if isinstance(value, Integral) else float(value)
    return value


def with_changes(config: Config, changes: Mapping[str, Any]) -> Config:
    """The config with the keys replaced whose change is not None; raises ConfigError."""
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        return config
    unknown = set(given) - {name for key, field in Config.model_fields.items() for name in (key, field.alias)}
    if unknown:
        listed = ", ".join(f"{name}{_meant_key(name, Config)}" for name in sorted(unknown))
        raise ConfigError(f"unknown settings {listed}; settings are the keys of the config")
    return replaced(config, given, whose="the options")


def replaced(config: Config, keys: Mapping[str, Any], *, whose: str) -> Config:
    """The config with keys replaced; its k counts persons or records, as before. Raises ConfigError.

    A requirement among ``keys`` counts persons in either case, as in a config file with an entity.
    """
    refuse_empty(Config, keys, whose=whose)
    written = {**config.in_persons().model_dump(by_alias=True), **keys}
    return validated(Config, written, whose=whose).counted_as(config)


def read_csv_options(texts: Sequence[str]) -> dict[str, Any]:
    """CSV options given as KEY=VALUE, one given several times as a list; raises ConfigError."""
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise ConfigError(
                f"write an option of CSV as KEY=VALUE, such as encoding=latin-1 or delim=';'; got {text!r}"
            )
        if key not in CsvOptions.model_fields:
            known = list(CsvOptions.model_fields)
            raise ConfigError(
                f"there is no option of CSV {key!r}{did_you_mean(key, known)}; known ones are {', '.join(known)}"
            )
        if key in found and key != "nullstr":
            raise ConfigError(f"the option of CSV {key!r} is given twice; give it once")
        read = _csv_value(key, value)
        found[key] = [*([before] if isinstance(before := found[key], str) else before), read] if key in found else read
    return found


def _csv_value(key: str, value: str) -> Any:
    if key == "skip" and value.isdecimal():
        return int(value)
    if key == "header" and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value.replace("\\t", "\t")


def read_options(texts: Sequence[str], column: str, cluster_on: Sequence[str] = ()) -> TaxonomyOptions | None:
    """Options of a builder given as KEY=VALUE, the value as YAML; None for none. Raises ConfigError."""
    keys: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise ConfigError(f"write an option as KEY=VALUE, such as width=10 or 'quantiles=[20, 5]'; got {text!r}")
        if key.strip() in keys:
            raise ConfigError(f"the option {key.strip()!r} is given twice; give it once")
        try:
            keys[key.strip()] = yaml.load(value, Loader=_Loader)  # noqa: S506 - a SafeLoader with fewer implicit types
        except (yaml.YAMLError, ValueError, RecursionError):
            raise ConfigError(f"the value of the option {key} is not YAML; lists are written as [20, 5]") from None
    if cluster_on:
        keys = {"clusters": True, **keys, "cluster_on": list(cluster_on)}
    if not keys:
        return None
    checked = make_config({"class": column + "?", "taxonomies": {column: keys}}, whose="the options")
    return checked.taxonomies[column]


_UNION_BRANCHES = ("constrained-int", "constrained-float", "literal['all']", "DeltaDisclosure")


def _explained(item: Any, model: type[BaseModel]) -> str:
    where = ".".join(str(part) for part in item["loc"] if str(part) not in _UNION_BRANCHES)
    if item["type"] == "extra_forbidden":
        places = [str(place) for place in item["loc"]]
        part = _part_at(places[:-1], model)
        meant = _meant_key(places[-1], part)
        return f"unknown key {where}{meant or f'; known keys are {known_names(_keys_of(part))}'}"
    message = str(item["msg"]).removeprefix("Value error, ").replace("Input should be", "it should be")
    came = _came(item) + _meant(item)
    return f"{where}: {message}{came}" if where else message


def _keys_of(part: type[BaseModel]) -> list[str]:
    refused = getattr(part, "REFUSED", ())
    return [field.alias or name for name, field in part.model_fields.items() if name not in refused]


def _meant_key(name: str, part: type[BaseModel]) -> str:
    """A question whether a similar key was meant, of this part of a file or of a config's requirement; else empty."""
    required = _keys_of(RequirementOptions) if part is Config else []
    if name in required:
        return f" (did you mean {name!r} under `requirement`?)"
    meant = did_you_mean(name, _keys_of(part))
    return meant or did_you_mean(name, required).replace("?)", " under `requirement`?)")


def _part_at(places: Sequence[str], part: type[BaseModel]) -> type[BaseModel]:
    """The part of a file that stands at a place, such as the requirement of a config."""
    for place in places:
        fields = {field.alias or name: field for name, field in part.model_fields.items()}
        if place in fields:
            part = next(_parts_in(fields[place].annotation), part)
    return part


def _parts_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts_in(inner)


def _meant(item: Any) -> str:
    """A question whether a similar one of a few allowed texts was meant."""
    if item["type"] != "literal_error" or not isinstance(item["input"], str):
        return ""
    return did_you_mean(item["input"], re.findall(r"'([^']*)'", item["ctx"]["expected"]))


def _came(item: Any) -> str:
    """What came, if it is a setting; `where`, taxonomies and sensitive values may name values of the source."""
    if item["type"] == "value_error" or item["loc"][0] in ("where", "taxonomies", "sensitive_values"):
        return ""
    value = item["input"]
    if value is None:
        return "; it is empty"
    if isinstance(value, (bool, int, float, str)):
        return f"; it is {str(value)[:40]!r}"
    return f"; it is a {'list' if isinstance(value, list) else 'mapping' if isinstance(value, dict) else 'thing'}"
