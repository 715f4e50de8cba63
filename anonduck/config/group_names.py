"""Names that the data owner gives to groups of a taxonomy, in place of generated labels."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _by_text(given: Any) -> Any:
    """Labels and levels as texts, which YAML may have read as numbers."""
    if not isinstance(given, dict):
        return given
    if not given:
        raise ValueError('name at least one group, such as `{"Caucasian and 3 others": others}`')
    return {_text(key): _by_text(name) if isinstance(name, dict) else name for key, name in given.items()}


def _text(key: Any) -> Any:
    return str(key) if isinstance(key, int) and not isinstance(key, bool) else key


Name = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
GroupNames = Annotated[dict[str, Name | dict[str, Name]], BeforeValidator(_by_text)]
"""The name of each group by its generated label, or such mappings by level."""
