"""Replace single requirements of a config for one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.config.config import Config
from anonduck.config.reading import replaced
from anonduck.config.requirement import AUDIT_ONLY, RequirementOptions
from anonduck.config.taxonomy import MAX_COUNT
from anonduck.errors import AuditError, ConfigError
from anonduck.privacy.requirement import ask
from anonduck.words import did_you_mean


def with_requirement(config: Config, requirement: Mapping[str, Any]) -> Config:
    """The config with single requirements replaced; raises ConfigError for unknown names and impossible values.

    If the config has an entity, the requirements count persons, as in its file.
    """
    if not requirement:
        return config
    known = [name for name in RequirementOptions.model_fields if name != "preset"]
    for name, value in requirement.items():
        if name not in known and name not in AUDIT_ONLY:
            meant = did_you_mean(name, known) or f"; known are {', '.join(known)}"
            raise ConfigError(f"the requirement {name!r} is not known{meant}")
        if name == "k" and not (isinstance(value, int) and 1 <= value <= MAX_COUNT):
            raise ConfigError(
                f"the requirement {name}={value} asks for nothing or too much; it is from 1 to {MAX_COUNT}, a whole "
                "number such as k=5"
            )
    named = {name: _by_name(name, value) for name, value in requirement.items()}
    required = config.in_persons().requirement.model_dump(by_alias=True, exclude_none=True)
    return replaced(config, {"requirement": {**required, **named}}, whose="the replaced requirement")


def _by_name(name: str, value: Any) -> Any:
    """A requirement of several numbers as the config writes it."""
    if not isinstance(value, (list, tuple)):
        return value
    try:
        (asked,) = ask({name: value})
    except AuditError as error:
        raise ConfigError(str(error)) from None
    return asked.required
