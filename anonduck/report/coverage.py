"""Which quasi-identifiers of a release attacks covered: those that the attackers were given to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.attacks.report import TWO_SOURCES


def covered_by(attacks: Mapping[str, Any]) -> list[str]:
    """The quasi-identifiers that attacks were given to know; none where nothing was attacked."""
    return list(attacks.get("quasi_identifiers", ())) if attacks.get("attacks") else []


def quasi_identifiers_of(receipt: Mapping[str, Any]) -> list[str]:
    """The quasi-identifiers that a release shows something of, by their names in the source."""
    quasi = [one for one in receipt["columns"] if one["role"] == "quasi-identifier"]
    return list(dict.fromkeys(one.get("of", one["name"]) for one in quasi))


def covered_by_one(attempt: Mapping[str, Any], attacks: Mapping[str, Any]) -> list[str]:
    """The quasi-identifiers that one of the attacks covered: all that the attacker knows, or those that it links.

    >>> covered_by_one({"attack": "two sources (Gower)", "about": "age+zip with sex"}, {})
    ['age', 'zip', 'sex']
    """
    if attempt["attack"] == TWO_SOURCES:
        return [name for names in str(attempt["about"]).split(" with ") for name in names.split("+")]
    return list(attacks.get("quasi_identifiers", ()))
