"""The policy of an organization: for each audience, floors that no project's config may go under."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from anonduck.config.config import Config
from anonduck.config.reading import mapping_of, refuse_empty, validated
from anonduck.config.requirement import OF_CANDIDATES, OF_PERSONS, Count, RequirementOptions, SensitiveValues
from anonduck.config.taxonomy import ColumnName, Strict
from anonduck.errors import ConfigError
from anonduck.privacy.chosen_values import EVERY, ValueChoice, choose
from anonduck.privacy.models import MODELS
from anonduck.privacy.requirement import Criterion, ask
from anonduck.words import did_you_mean

POLICY = "policy"
AT_MOST = ("inference_gain",)
"""Floors that are no model of privacy of a file: a config must ask for at most so much."""

NO_FLOORS = ("preset", "suppression", *(name for name in OF_CANDIDATES if name not in AT_MOST))
WRITTEN = "a policy is a mapping such as `audiences: {partner: {k: 10}}`"


class Floors(RequirementOptions):
    """What every release to one audience must meet at least, and for how long a release holds."""

    model_config = ConfigDict(title="Floors")
    REFUSED: ClassVar[tuple[str, ...]] = NO_FLOORS
    """Keys of a requirement that no policy takes, and which no message names as allowed."""

    k: Count = Field(description="records, or persons, in the smallest equivalence class, at least")
    review: Annotated[int, Field(strict=True, ge=1, le=36_525)] | None = Field(
        None, description="days after which a release has to be looked at again"
    )

    sensitive_values: dict[ColumnName, SensitiveValues] = Field(
        default_factory=dict,
        description="by column, the sensitive values that alpha, lkc, beta, enhanced_beta and delta_disclosure are "
        "judged by, as in a config; default: every value, whichever those of the config are",
    )

    @model_validator(mode="before")
    @classmethod
    def _guard_privacy_alone(cls, given: Any) -> Any:
        for name in [name for name in NO_FLOORS if isinstance(given, dict) and name in given]:
            raise ValueError(f"{name} guards no privacy, and a policy sets no floor for it; leave it to the configs")
        return given

    @property
    def named_values(self) -> dict[str, Any]:
        """The key `sensitive_values` as the policy writes it."""
        named: dict[str, Any] = self.model_dump(by_alias=True, include={"sensitive_values"})["sensitive_values"]
        return named

    @property
    def named(self) -> dict[str, Any]:
        """The floors by the names of requirements, as a config writes them."""
        found = self.model_dump(exclude_none=True, by_alias=True, exclude={"review", *NO_FLOORS})
        return {name: value for name, value in found.items() if name in RequirementOptions.model_fields}


class PolicyFile(Strict):
    """A policy as its file writes it."""

    audiences: dict[ColumnName, Floors] = Field(min_length=1, description="who may receive releases, and the floors")


@dataclass(frozen=True)
class Policy:
    """The floors that a policy sets for releases to one audience.

    ``file`` is the name of the policy's file without its folder, ``sha256`` the hash of its content.
    """

    file: str
    sha256: str
    audience: str
    floors: Floors

    def refuse(self, config: Config, whose: str) -> None:
        """Raise ConfigError where a config asks for less than a floor, in any number of it.

        k counts persons where the config has an ``entity``.
        """
        required = config.in_persons().requirement
        unasked = () if config.class_ is not None else AT_MOST  # without a class none can be inferred
        below = [
            (name, floor, value)
            for name, floor in self.floors.named.items()
            if name not in unasked and _is_under(name, value := getattr(required.model_copy(), name), floor, required)
        ]
        if below:
            raise ConfigError(
                f"{whose}: {self.file} sets floors for releases to {self.audience}, and these are not met: "
                + ", ".join(f"{name} {_text(floor)} (required is {_text(value)})" for name, floor, value in below)
                + f". Write `requirement: {{{', '.join(f'{name}: {_text(floor)}' for name, floor, _ in below)}}}`, or "
                "ask whoever keeps the policy"
            )

    def values(self, config: Config) -> dict[str, ValueChoice]:
        """The sensitive values that floors count, of the config's sensitive columns; of others every value counts."""
        named = {name: values for name, values in self.floors.named_values.items() if name in config.sensitive}
        return choose(named, config.sensitive)

    def narrowed(self, config: Config) -> tuple[str, ...]:
        """The sensitive columns of which a config counts fewer values than the policy, where a floor counts any."""
        if not any(MODELS[name].by_value for name in self._judged):
            return ()
        own, floors = choose(config.named_values, config.sensitive), self.values(config)
        return tuple(name for name, one in own.items() if not one.covers(floors.get(name, EVERY)))

    def by_value(self, config: Config) -> tuple[Criterion, ...]:
        """The floors that count sensitive values, with k in records where the config counts those."""
        floors = {name: floor for name, floor in self._judged.items() if MODELS[name].by_value}
        if "lkc" in floors:
            floors["lkc"] = {**floors["lkc"], "k": config.records_for(floors["lkc"]["k"])}
        return tuple(replace(one, of_policy=True) for one in ask(floors))

    @property
    def _judged(self) -> dict[str, Any]:
        return {name: floor for name, floor in self.floors.named.items() if name in MODELS}

    def remarks(self, config: Config) -> list[str]:
        """What a config says that floors do not judge, or judge otherwise than the config does, in sentences."""
        found = []
        narrowed, floors = self.narrowed(config), self._judged
        if narrowed:
            counting = ", ".join(name for name in floors if MODELS[name].by_value)
            found.append(
                f"`sensitive_values` of the config counts some values of {', '.join(map(repr, narrowed))} alone; the "
                f"floors of {self.file} ({counting}) are judged by those of the policy"
            )
        reading = [name for name in floors if "sensitive" in MODELS[name].needs]
        beside = [*config.insensitive, *([] if config.class_ is None else [config.class_])]
        if reading and beside:
            found.append(
                f"the floors of {self.file} on sensitive values ({', '.join(reading)}) judge "
                f"{', '.join(map(repr, config.sensitive))}; released as they are beside these, and judged by none: "
                f"{', '.join(map(repr, beside))}"
            )
        for name, key, named in (
            ("t_ordered", "order", config.order),
            ("t_hierarchical", "taxonomies", config.taxonomies),
        ):
            columns = [column for column in config.sensitive if column in named]
            if name in floors and columns:
                found.append(f"{name} of {self.file} goes by `{key}` of the config for {', '.join(map(repr, columns))}")
        return found

    def requirements(self, required: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """What an audit of a file has to require, and the floors that no file alone can prove.

        ``required`` is what is asked beside the policy. Raises ConfigError where that is less than a floor.
        """
        unproven = [name for name in self.floors.named if name in (*AT_MOST, *OF_PERSONS)]
        floors = {name: floor for name, floor in self.floors.named.items() if name not in unproven}
        for name in [name for name in floors if name in required]:
            asked, floor = (ask({name: one[name]})[0] for one in (required, floors))
            if asked.weaker_than(floor):
                raise ConfigError(
                    f"{self.file} sets a floor for releases to {self.audience}, {floor.text}, and {asked.text} is "
                    "less; leave it out"
                )
        return {**floors, **required}, unproven

    def as_json(self) -> dict[str, Any]:
        """The policy as receipts name it."""
        named = {"file": self.file, "sha256": self.sha256, "audience": self.audience, "floors": self.floors.named}
        return named | {"review_days": self.floors.review}


def policy_of(config: Config, folder: Path, whose: str = "the config") -> Policy | None:
    """The policy that a config stands under, whose path is relative to a folder; None without one.

    Raises ConfigError where the policy cannot be read, does not know the audience, or asks for more than the config.
    """
    policy = held_policy(config, folder)
    if policy is not None:
        policy.refuse(config, whose)
    return policy


def held_policy(config: Config, folder: Path) -> Policy | None:
    """The policy that a config stands under, whether the config asks for enough or not; None without one."""
    if config.policy is None:
        return None
    return read_policy(folder / Path(config.policy).expanduser(), config.publication.audience)


def read_policy(path: Path, audience: str | None) -> Policy:
    """The floors that the policy of a file sets for an audience; raises ConfigError."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"the policy {path} cannot be read: {reason}. Without it nothing is released") from None
    written = mapping_of(text, path, POLICY, WRITTEN)
    refuse_empty(PolicyFile, written, whose=str(path))
    read = validated(PolicyFile, written, whose=str(path))
    known = list(read.audiences)
    if audience is None:
        raise ConfigError(
            f"{path.name} has floors for {', '.join(known)}; say who receives the release, such as "
            f"`publication: {{audience: {known[0]}}}` in the config"
        )
    if audience not in read.audiences:
        raise ConfigError(
            f"{path.name} knows no audience {audience!r}{did_you_mean(audience, known)}; it knows {', '.join(known)}"
        )
    return Policy(path.name, hashlib.sha256(content).hexdigest(), audience, read.audiences[audience])


def _is_under(name: str, value: Any, floor: Any, required: RequirementOptions) -> bool:
    if value is None:
        return True
    if name in AT_MOST:
        return bool(value > floor)
    given = required.model_dump(by_alias=True, include={name})[name]
    return ask({name: given})[0].weaker_than(ask({name: floor})[0])


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pairs(value)) + "}"
    return str(value.model_dump(exclude_none=True)) if hasattr(value, "model_dump") else str(value)


def _pairs(value: Mapping[str, Any]) -> Iterator[str]:
    return (f"{name}: {one}" for name, one in value.items() if one is not None)
