"""A config without a class: what it takes by default, and what needs a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anonduck.errors import ConfigError
from anonduck.rules.measure_names import ALL, OF_CLASS, UTILITY, is_of_class

Config = Any
"""A Config, whose module imports this one."""

BY_DETAIL = "loss"
"""The measure that `run` selects by where nothing is predicted."""


def with_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of a config, with the defaults of one without a class if it names none: no models, chosen by detail."""
    if any(given.get(name) is not None for name in ("class", "class_")):
        return given
    taken: dict[str, Any] = {"models": []}
    if "selection" not in given:
        taken["select"] = BY_DETAIL
    measures = given.get("measures")
    if isinstance(measures, (list, tuple)) and ALL in measures:
        return {**taken, **given, "measures": [name for name in UTILITY if name not in OF_CLASS]}
    return {**taken, **given}


def refuse_without_class(config: Config) -> None:
    """Raise ValueError for the first key that needs a class, with what to do."""
    for key, why in _needing(config):
        raise ValueError(f"{key}: {why}, and there is no class; name one, such as `class: churned`, or {_instead(key)}")


def refuse_method(config: Config, name: str, options: Mapping[str, Any]) -> None:
    """Raise ConfigError where there is no class and a method needs one, by ``options`` over those of the config."""
    if config.class_ is not None:
        return
    from anonduck.methods.registry import why_class

    given = {**config.method_options.get(name, {}), **options}
    why = why_class(name, given, sensitive=bool(config.sensitive))
    if why:
        raise ConfigError(f"{why}, and there is no class; name one, such as `class: churned`, or {_instead('method')}")


def refuse_without(config: Config, what: str) -> None:
    """Raise ConfigError where there is no class; ``what`` would need one."""
    if config.class_ is None:
        raise ConfigError(f"{what}, and there is no class; name one, such as `class: churned`")


def _needing(config: Config) -> Iterator[tuple[str, str]]:
    """The keys that need a class, each with what it does."""
    pairs = "it is about pairs of records that differ in class"
    for needs, key, why in (
        (config.engine.elsewhere, "engine", "a source that stays in an engine is counted by the class"),
        (bool(config.models), "models", "models predict the class"),
        (is_of_class(config.select), "select", f"{config.select} is about how well the class is told"),
        (config.split_by is not None, "split_by", "it orders the records that models are tested on"),
        (config.test_on != "generalized", "test_on", "it says what models are tested on"),
        (config.search == "rfd", "search", "rfd looks at what the class depends on"),
        (config.named_coverage is not None, "coverage", pairs),
        (config.coverage_over != "pairs", "coverage_over", pairs),
    ):
        if needs:
            yield key, why
    for name in filter(is_of_class, config.measures):
        yield "measures", f"{name} is about how well the class is told"
    for name in ("inference_gain", "min_gain"):
        if getattr(config.requirement, name) is not None:
            yield f"requirement.{name}", "it is about what a release tells of the class"
    yield from _methods_needing(config)


def _methods_needing(config: Config) -> Iterator[tuple[str, str]]:
    if config.method == "rules" and not config.methods:
        return
    from anonduck.methods.registry import METHODS, named_method, why_class

    named: list[tuple[str, Mapping[str, Any]]] = [(config.method, {})] if config.method in METHODS else []
    named += [named_method(text) for text in config.offered if text.partition(":")[0] in METHODS]
    for name, settings in named:
        options = {**config.method_options.get(name, {}), **settings}
        why = why_class(name, options, sensitive=bool(config.sensitive))
        if why:
            yield "method" if config.method == name else "methods", why


def _instead(key: str) -> str:
    """What to do instead of naming a class."""
    if key == "select":
        kept = [name for name in ("k", "classes", *UTILITY) if not is_of_class(name)]
        return f"select by one of {', '.join(kept)}"
    if key in ("method", "methods"):
        return "name another method, such as `mondrian` or `sequential`"
    if key == "search":
        return "search by `auto`"
    return f"take out `{key}`"
