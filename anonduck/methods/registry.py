"""All methods, by name."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.errors import ConfigError
from anonduck.methods.method import Method, MethodOption
from anonduck.methods.mondrian import mondrian

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="mondrian",
            recoding="classes",
            options=(
                MethodOption("strict", True, "never part records that are alike in a column by cutting at its median"),
            ),
            source="LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
            words="cuts the records into ever smaller classes, each time in the column that is widest",
            algorithm=mondrian,
        ),
    )
}


def method_named(name: str) -> Method:
    """The method of a name; raises ConfigError, with those there are, for another."""
    if name not in METHODS:
        raise ConfigError(f"the method {name[:40]!r} is not known; known are {', '.join(METHODS)}")
    return METHODS[name]
