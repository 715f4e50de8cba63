"""What is required of rules: which of them meet it, what they reach, and which classes they leave out for it.

Whether a rule meets what is required is asked twice. ``RuleJudge.holds`` tells of the part that no finer rule regains:
the search prunes by it. ``RuleJudge.verdict`` tells of all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from anonduck.config import Config
from anonduck.database import Database
from anonduck.measures import CODED, measure_rest
from anonduck.privacy import Asked, Reached, ask, measure, relations, suppress
from anonduck.privacy.asking import TOLERANCE, finite
from anonduck.privacy.choosing import Choices, choose
from anonduck.privacy.lookup import paths
from anonduck.privacy.measuring import Given
from anonduck.rules import Levels, Measures, Space
from anonduck.statements import builder_privacy, statement
from anonduck.statements.builder_frequency import CLASS, code_column

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

CODED_SENSITIVE = "coded_sensitive_set"
KEPT = "kept_set"
ABSORBING, MONOTONE = "absorbing", "monotone"


@dataclass(frozen=True)
class Demand:
    """What must hold: the requirements, and the share of records that may be left out for it.

    ``sensitive`` are the columns that the requirements read, none if they read sizes alone; ``files`` and ``paths``
    hold the taxonomies of those that have one, ``chosen`` the values that bounds of single values count.
    ``with_class``: the class counts as one more quasi-identifier, so that the records of an equivalence class are alike
    in class too.
    """

    asked: tuple[Asked, ...]
    suppression: float = 0.0
    sensitive: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    paths: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    chosen: Choices = field(default_factory=dict)
    with_class: bool = False

    @property
    def k(self) -> int:
        """The records that each class must have."""
        return next((int(one.required) for one in self.asked if one.model.name == "k"), 1)

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
        asked = {one.model.name: one.required for one in self.asked}
        return asked | ({"suppression": self.suppression} if self.suppression else {})

    @property
    def text(self) -> str:
        """What must hold, as a person reads it."""
        texts = [one.text for one in self.asked]
        texts += [f"suppressed <= {self.suppression:.4g}"] if self.suppression else []
        return ", ".join(texts) + (" (the class counted in k)" if self.with_class else "")

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

    def part(self, kind: str) -> Demand:
        """The same for the requirements whose models are of a kind alone."""
        asked = tuple(one for one in self.asked if getattr(one.model, kind))
        reads = any("sensitive" in one.model.needs for one in asked)
        return replace(self, asked=asked, sensitive=self.sensitive if reads else ())


def demanded(config: Config, folder: Path, **replaced: Any) -> Demand:
    """What a config requires, single requirements replaced; raises AuditError for a taxonomy that cannot be read."""
    required = {**config.requirement.asked, **replaced}
    suppression = required.pop("suppression", config.requirement.suppression)
    asked = ask(required)
    reads = any("sensitive" in one.model.needs for one in asked)
    sensitive = tuple(config.sensitive) if reads else ()
    files = sensitive_files(config, folder) if any("taxonomy" in one.model.needs for one in asked) else {}
    read = {name: paths(name, file) for name, file in files.items()}
    named = config.named_values if any(one.model.by_value for one in asked) else {}
    chosen, with_class = choose(named, config.sensitive), "class" in config.k_counts
    return Demand(asked, suppression, sensitive, files, read, chosen, with_class)


def sensitive_files(config: Config, folder: Path) -> dict[str, Path]:
    """The files of the taxonomies of sensitive columns."""
    options = {name: config.taxonomies[name] for name in config.sensitive if name in config.taxonomies}
    return {name: folder / str(one.file) for name, one in options.items()}


# -- the classes of a table --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """What the classes of a table reach, once those that fail are left out, where that is allowed.

    ``reached`` is empty where more records than allowed had to be left out.
    """

    records: int
    suppressed: int
    reached: tuple[Reached, ...]

    @property
    def share(self) -> float:
        """The share of the records that is left out."""
        return self.suppressed / self.records if self.records else 0.0


def judge_classes(
    database: Database, table: str, attributes: Sequence[str], sensitive: Sequence[str], demand: Demand
) -> Judged:
    """Group a table that has a column "#records" by its attributes, leave out classes that fail, measure the rest.

    ``sensitive`` names the columns of the table that hold the values of ``demand.sensitive``. The numbered set of
    anonduck.privacy.relations holds the classes that stay until ``relations.forget``.
    """
    relations.roll_up(database, table, attributes, sensitive)
    given = Given(len(attributes), demand.sensitive, paths=demand.paths, chosen=demand.chosen)
    records = int(database.value(statement("privacy/records.sql", table={"classes": relations.CLASSES})))
    suppressed = suppress(database, given, demand.asked) if demand.suppression else 0
    if not demand.allows(suppressed, records) or suppressed == records:
        return Judged(records, suppressed, ())
    measured = measure(database, given, demand.asked, everything=False)
    found = [(one, measured[one.model.name]) for one in demand.asked]
    return Judged(records, suppressed, tuple(Reached(one, reached.numbers, reached.worst) for one, reached in found))


def reached_beside_k(reached: Sequence[Reached]) -> dict[str, Any]:
    """What is reached by name: a number, or several by name; k has its own place."""
    return {one.name: finite(one.reached) for one in reached if one.name != "k"}


def misses(demand: Demand, reached: Sequence[Reached], suppressed: int, records: int) -> Iterator[str]:
    """What is not met, as a person reads it."""
    if not demand.allows(suppressed, records):
        yield f"suppressed = {suppressed / records:.4g} (required <= {demand.suppression:.4g})"
    for one in reached:
        if not one.met:
            worst = "" if one.attribute is None else f" in column {one.attribute!r}"
            required = one.asked.text.removeprefix(one.name).strip()
            yield f"{one.name} = {_shown(one.reached)}{worst} (required {required})"


def _shown(reached: Any) -> str:
    if isinstance(reached, Mapping):
        return ", ".join(f"{name} {_shown(number)}" for name, number in reached.items())
    return f"{reached:.4g}" if isinstance(reached, float) else str(reached)


# -- rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What a rule reaches; ``unmet`` says what it misses. What it reaches is not all measured where it misses k."""

    measures: Measures
    reached: tuple[Reached, ...]
    unmet: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether the rule meets all that is required."""
        return not self.unmet

    @property
    def nearness(self) -> tuple[bool, int]:
        """Larger for a rule that misses less: one whose k was reached was measured in all else too."""
        return all(one.met for one in self.reached if one.name == "k"), -len(self.unmet)


_KEPT_OF: WeakKeyDictionary[Database, tuple[RuleJudge, Levels]] = WeakKeyDictionary()
"""Whose rule the kept set of a database is of, so that it is not made twice in a row."""


class RuleJudge:
    """Judges each level vector once, on the coded frequency set (that with sensitive values where it takes them)."""

    def __init__(
        self, database: Database, space: Space, whole: Callable[[Levels], Measures], demand: Demand, records: int
    ) -> None:
        self.database = database
        self.space = space
        self.whole = whole
        self.demand = demand
        self.records = records
        self._verdicts: dict[Levels, Verdict] = {}
        self._holds: dict[Levels, bool] = {}

    def verdict(self, vector: Levels) -> Verdict:
        """What the rule reaches and misses; records that are left out are charged as anonduck.measures says."""
        if vector not in self._verdicts:
            self._verdicts[vector] = self._suppressed(vector) if self.demand.suppression else self._judged(vector)
        return self._verdicts[vector]

    def holds(self, vector: Levels) -> bool:
        """Whether the rule has what no finer rule regains.

        Without suppression that is each requirement whose model is monotone. With it, that the classes that fail an
        absorbing one (k, l) do not hold more records than may be left out: no class of a finer rule meets those unless
        the class that it is part of does. Any other model can be met by two classes and missed by both together.
        """
        if vector not in self._holds:
            self._holds[vector] = self._has_what_no_finer_rule_regains(vector)
        return self._holds[vector]

    def _has_what_no_finer_rule_regains(self, vector: Levels) -> bool:
        if not self.demand.suppression:
            return all(one.met for one in self.verdict(vector).reached if one.asked.model.monotone)
        if self.whole(vector).k < self.demand.k and not self.demand.allows(self._under_k(vector), self.records):
            return False
        absorbing = self.demand.part(ABSORBING)
        if absorbing.only_k:
            return True
        if absorbing.asked == self.demand.asked:
            return self.demand.allows(self.verdict(vector).measures.suppressed, self.records)
        found = self._classes(vector, absorbing)
        return self.demand.allows(found.suppressed, self.records)

    def kept(self, vector: Levels, suppressed: int) -> str:
        """The name of the coded frequency set of the records that stay under a rule, made anew where some do not."""
        if not suppressed:
            return CODED
        if _KEPT_OF.get(self.database) == (self, vector):
            return KEPT
        if not self.demand.only_k:
            self._classes(vector, self.demand)
        return self._keep(vector)

    def _keep(self, vector: Levels) -> str:
        """Make the set of the records that stay; but for k alone, by the classes as they were grouped last."""
        attributes = self._attributes(vector)
        if self.demand.only_k:
            query = statement("measures/kept_by_size.sql", columns={"attributes": attributes}, table={"kept": KEPT})
            self.database.run(query, {"k": self.demand.k})
        else:
            self.database.run(builder_privacy.kept_rows(CODED, attributes, KEPT))
        _KEPT_OF[self.database] = (self, vector)
        return KEPT

    def forget(self) -> None:
        """Remove the working tables of the last rule."""
        _KEPT_OF.pop(self.database, None)
        if not self.demand.plain:
            relations.forget(self.database)
            self.database.run(statement("privacy/forget.sql", table={"made": KEPT}))

    def _judged(self, vector: Levels) -> Verdict:
        """Without suppression; a rule under k is not measured further."""
        whole = self.whole(vector)
        reached = tuple(Reached(one, {"k": whole.k}) for one in self.demand.asked if one.model.name == "k")
        if not self.demand.only_k and all(one.met for one in reached):
            reached = self._classes(vector, self.demand).reached
        unmet = tuple(misses(self.demand, reached, 0, self.records))
        return Verdict(replace(whole, privacy=reached_beside_k(reached)), reached, unmet)

    def _suppressed(self, vector: Levels) -> Verdict:
        whole = self.whole(vector)
        suppressed = self._under_k(vector) if whole.k < self.demand.k else 0
        reached: tuple[Reached, ...] = ()
        if not self.demand.only_k and self.demand.allows(suppressed, self.records):
            found = self._classes(vector, self.demand)
            suppressed, reached = found.suppressed, found.reached
        unmet = tuple(misses(self.demand, reached, suppressed, self.records))
        measures = replace(whole, privacy=reached_beside_k(reached), suppressed=suppressed)
        if suppressed and self.demand.allows(suppressed, self.records):
            rows = self._keep(vector)  # right after they were grouped
            levels = self.space.named(vector)
            counted = self.demand.with_class
            measures = measure_rest(self.database, levels, measures, rows, self.records, suppressed, with_class=counted)
        return Verdict(measures, reached, unmet)

    def _under_k(self, vector: Levels) -> int:
        query = statement("measures/under_size.sql", columns={"attributes": self._attributes(vector)})
        return int(self.database.value(query, {"k": self.demand.k}))

    def _classes(self, vector: Levels, demand: Demand) -> Judged:
        table = CODED_SENSITIVE if demand.sensitive else CODED
        names = builder_privacy.sensitive_names(len(demand.sensitive))
        return judge_classes(self.database, table, self._attributes(vector), names, demand)

    def _attributes(self, vector: Levels) -> list[str]:
        """The columns whose values the records of an equivalence class share."""
        codes = [code_column(name, level) for name, level in self.space.named(vector).items()]
        return [*codes, CLASS] if self.demand.with_class else codes
