"""What is required of a release: the requirements of a config, and how many records may be left out for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from anonduck.config.persons import persons_in
from anonduck.privacy.chosen_values import ValueChoices, choose
from anonduck.privacy.lookup import paths
from anonduck.privacy.requirement import TOLERANCE, Criterion, ask, required_k
from anonduck.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from anonduck.config.config import Config


@dataclass(frozen=True)
class Requirement:
    """What must hold: the requirements, and the share of records that may be left out for it.

    ``sensitive`` are the columns that the requirements read, none if they read sizes alone; ``files`` and ``paths``
    hold the taxonomies of columns that have one, ``chosen`` the values that bounds of single values count, ``orders``
    the declared orders of columns. Floors of a policy are among ``asked`` where the config counts fewer values than the
    policy, of the columns ``narrowed``; they count those of ``of_policy``.
    ``keep`` are the columns that a rule may not drop, each with the highest level that it may have (None: any under the
    root). ``most`` is the number of records that one person has at most, where k stands for persons.
    ``linked_k`` is how many persons must have all of their rows in common, None where that is not required: no classes
    tell it, and it is judged of a release by whose its rows are (anonduck.release.linked_persons).
    ``of_file`` are requirements that no recoding but the records themselves decide: they are asked of the written file
    alone, and ``rare_under`` is the k by which a value of a kept column is rare there.
    """

    asked: tuple[Criterion, ...]
    suppression: float = 0.0
    sensitive: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    paths: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    chosen: ValueChoices = field(default_factory=dict)
    keep: Mapping[str, int | None] = field(default_factory=dict)
    most: int = 1
    linked_k: int | None = None
    of_file: tuple[Criterion, ...] = ()
    rare_under: int = 1
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    of_policy: ValueChoices = field(default_factory=dict)
    narrowed: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[Criterion, ...]:
        """What the config requires, each model once."""
        return tuple(one for one in self.asked if not one.of_policy)

    @property
    def floors(self) -> tuple[Criterion, ...]:
        """The floors of a policy that are judged by its own sensitive values."""
        return tuple(one for one in self.asked if one.of_policy)

    @property
    def k(self) -> int:
        """The records that each class must have."""
        return required_k(self.asked)

    @property
    def only_k(self) -> bool:
        """Whether nothing but k is asked of the classes."""
        return all(one.model.name == "k" for one in self.asked)

    @property
    def plain(self) -> bool:
        """Whether k is all that is asked, of all records."""
        return self.only_k and not self.suppression

    def as_json(self) -> dict[str, Any]:
        """What must hold, as the config writes it."""
        asked = {one.model.name: one.required for one in self.own}
        return asked | ({"suppression": self.suppression} if self.suppression else {})

    @property
    def text(self) -> str:
        """What must hold, as a person reads it."""
        texts = [one.text + (self._persons if one.model.name == "k" else "") for one in self.asked]
        texts += [f"suppressed <= {self.suppression:.4g}"] if self.suppression else []
        texts += [f"keeping {kept_text(name, level)}" for name, level in self.keep.items()]
        return ", ".join(texts)

    @property
    def _persons(self) -> str:
        return f" ({counted(persons_in(self.k, self.most), 'person', 'persons')})" if self.most > 1 else ""

    @property
    def classes(self) -> str:
        """What each class must meet, as a person reads it."""
        return ", ".join(one.text for one in self.asked if one.model.class_wise)

    def allows(self, suppressed: int, records: int) -> bool:
        """Whether so many records may be left out."""
        return self.allows_share(suppressed / records) if records else True

    def allows_share(self, share: float) -> bool:
        """Whether such a share of the records may be left out."""
        return share <= self.suppression * (1 + TOLERANCE)

    def part(self, kind: str) -> Requirement:
        """The same for the requirements whose models are of a kind alone."""
        asked = tuple(one for one in self.asked if getattr(one.model, kind))
        reads = any("sensitive" in one.model.needs for one in asked)
        return replace(self, asked=asked, sensitive=self.sensitive if reads else ())


def requirement_of(config: Config, folder: Path, **replaced: Any) -> Requirement:
    """What a config requires, single requirements replaced; raises AuditError for a taxonomy that cannot be read."""
    required = {**config.requirement.asked, **replaced}
    suppression = required.pop("suppression", config.requirement.suppression)
    linked_k = required.pop("linked_k", None)
    every = ask(required)
    asked = tuple(one for one in every if one.model.reads != "kept")
    of_file = tuple(one for one in every if one.model.reads == "kept")
    from anonduck.config.policy import held_policy  # with pydantic, which lists do not need

    policy = held_policy(config, folder)
    narrowed = () if policy is None else policy.narrowed(config)
    if policy is not None and narrowed:
        asked = (*asked, *policy.by_value(config))
    reads = any("sensitive" in one.model.needs for one in asked)
    sensitive = tuple(config.sensitive) if reads else ()
    files = sensitive_files(config, folder) if any("taxonomy" in one.model.needs for one in asked) else {}
    read = {name: paths(name, file) for name, file in files.items()}
    named = config.named_values if any(one.model.by_value for one in asked) else {}
    of_policy = {} if policy is None else policy.values(config)
    chosen = choose(named, config.sensitive)
    most = config.most_of_entity
    return Requirement(
        asked,
        suppression,
        sensitive,
        files,
        read,
        chosen,
        config.keep,
        most,
        linked_k,
        of_file,
        required_k(asked),
        {name: config.order[name] for name in sensitive if name in config.order},
        of_policy,
        narrowed,
    )


def kept_text(name: str, level: int | None) -> str:
    """A column that must stay, as a person reads it."""
    return repr(name) if level is None else f"{name!r} at level {level} at most"


def sensitive_files(config: Config, folder: Path) -> dict[str, Path]:
    """The files of the taxonomies of sensitive columns."""
    options = {name: config.taxonomies[name] for name in config.sensitive if name in config.taxonomies}
    return {name: folder / str(one.file) for name, one in options.items()}
