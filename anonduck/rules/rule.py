"""Generalization rules: for each attribute the level to which its values are generalized, and their literals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from anonduck.errors import ConfigError, RuleError
from anonduck.rules.dependency import RuleDependency
from anonduck.words import did_you_mean

LevelVector = tuple[int, ...]
LATTICE = "lattice"
AUTO = "auto"
RFD = "rfd"
IDENTIFIER = re.compile(r"R\d+")


@dataclass(frozen=True)
class RuleSpace:
    """The attributes that rules speak about, in the order of the source, and the root level of each.

    ``caps`` is the highest level that a rule may give each attribute: under the root for columns that must stay, else
    the root. Without any there are no such columns. ``floors`` is the lowest level of each attribute at which values
    are distinguished; without any, all are.
    """

    attributes: tuple[str, ...]
    roots: LevelVector
    caps: LevelVector = ()
    floors: LevelVector = ()

    @classmethod
    def keeping(
        cls, roots: Mapping[str, int], keep: Mapping[str, int | None], floor: Mapping[str, int] | None = None
    ) -> RuleSpace:
        """The space of the rules that keep some columns under their root, at a given level at most or at any, and give
        none a level under its ``floor``.

        Raises ConfigError for a column that is no attribute, and for a level that is not under the root.
        """
        for name, level in keep.items():
            if name not in roots:
                raise ConfigError(
                    f"keep: {name!r} is not a quasi-identifier; those are {', '.join(map(repr, roots))}. Other columns "
                    "are kept as they are, or dropped, by their role"
                )
            if level is not None and level >= roots[name]:
                raise ConfigError(
                    f"keep: {name!r} is to stay at level {level} at most, and its taxonomy has levels 0 to "
                    f"{roots[name] - 1} under the root; name one of those, or no level"
                )
        caps = {name: roots[name] - 1 if level is None else level for name, level in keep.items()}
        floors = tuple((floor or {}).get(name, 0) for name in roots) if floor else ()
        return cls(tuple(roots), tuple(roots.values()), tuple({**roots, **caps}.values()) if caps else (), floors)

    @property
    def coarsest(self) -> LevelVector:
        """The coarsest vector that gives no attribute more than its cap: no rule is coarser in any."""
        return self.caps or self.roots

    @property
    def finest(self) -> LevelVector:
        """The finest vector at which values are distinguished: no rule is finer in any attribute."""
        return self.floors or (0,) * len(self.roots)

    def is_under_floor(self, vector: Sequence[int]) -> bool:
        """Whether a vector has a level at which values are not told apart, and so cannot be measured."""
        return any(level < least for level, least in zip(vector, self.floors, strict=True)) if self.floors else False

    def completed(self, vector: Sequence[int]) -> LevelVector:
        """The vector with the columns that must stay at their cap where it has them higher."""
        return tuple(min(level, cap) for level, cap in zip(vector, self.coarsest, strict=True))

    def dropped(self, vector: Sequence[int]) -> tuple[str, ...]:
        """What the vector makes of the columns that must stay and do not, in words."""
        over = [one for one in zip(self.attributes, vector, self.roots, self.coarsest, strict=True) if one[1] > one[3]]
        return tuple(f"{name!r} at {'its root' if at == root else f'level {at}'}" for name, at, root, _ in over)

    def vector(self, levels: Mapping[str, int]) -> LevelVector:
        """A level for every attribute: the root's where ``levels`` names none."""
        return tuple(levels.get(name, root) for name, root in zip(self.attributes, self.roots, strict=True))

    def named(self, vector: Sequence[int]) -> dict[str, int]:
        """Only the attributes under their root."""
        return {n: int(v) for n, v, root in zip(self.attributes, vector, self.roots, strict=True) if v < root}


@dataclass(frozen=True)
class Measures:
    """What a rule costs and protects; information gain and its Miller-Madow correction in bits.

    ``privacy`` holds what it reaches in the privacy models that are required beside k: a number each, or several by
    name. ``suppressed`` records are left out: k, classes and privacy describe those that stay, all else every record.
    ``violating_pairs`` of the ``alike_pairs`` of records of one equivalence class differ in class. ``k_with_class`` is
    the number of records in the smallest part of an equivalence class that is alike in class too.
    """

    k: int
    classes: int
    information_gain: float
    information_gain_corrected: float
    violating_pairs: int
    violating_share: float
    privacy: Mapping[str, Any] = field(default_factory=dict)
    suppressed: int = 0
    alike_pairs: int = 0
    k_with_class: int = 0


@dataclass(frozen=True)
class Rule:
    """A generalization rule with where it comes from and what was measured of it.

    ``dependency`` is the rule read as an RFD. ``information_kept`` holds for every quasi-identifier the share of its
    entropy that the rule's level keeps, 0 where it is left out and None where it has one value only;
    ``information_kept_overall`` is the share of the entropies of all together.

    ``origins`` says for each coverage whether an RFD gave the rule (``extracted``) or a join made within that coverage
    (``joined``).
    Scores count the records that the rule leaves out as the majority guess.
    ``proven`` says whether, by all measures of an exact search, no rule with at least this k is better than the best
    found; None of another search.
    ``fold_accuracy`` and ``fold_balanced_accuracy`` are scores by model in each fold, the same folds for all rules.
    ``tells_nothing``: the rule is no better than naming the majority class, but for noise; None where nobody looked.
    ``associated``: whether its equivalence classes and the class go together by more than chance, where no model tells
    anything by any rule, as of a class that hardly any record has; else None.
    ``has_class``: whether there is a class; without one, measures of the class are of a stand-in and are not told.
    ``tied_with``: the rules of the frontier with a larger k that it is better than by noise alone.
    """

    id: str
    levels: Mapping[str, int]
    origins: Mapping[str, str]
    parents: tuple[str, ...]
    measures: Measures
    accuracy: Mapping[str, float] = field(default_factory=dict)
    accuracy_error: Mapping[str, float] = field(default_factory=dict)
    balanced_accuracy: Mapping[str, float] = field(default_factory=dict)
    utility: Mapping[str, float] = field(default_factory=dict)
    macro_f1: Mapping[str, float] = field(default_factory=dict)
    roc_auc: Mapping[str, float | None] = field(default_factory=dict)
    dependency: RuleDependency | None = None
    information_kept: Mapping[str, float | None] = field(default_factory=dict)
    information_kept_overall: float | None = None
    on_frontier: bool = False
    equal_to: tuple[str, ...] = ()
    proven: bool | None = None
    fold_accuracy: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fold_balanced_accuracy: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    tells_nothing: bool | None = None
    associated: bool | None = None
    tied_with: tuple[str, ...] = ()
    has_class: bool = True

    @property
    def origin(self) -> str:
        """``lattice`` of a search of all rules; ``extracted`` if any coverage extracts the rule, else ``joined``."""
        if LATTICE in self.origins:
            return LATTICE
        return "extracted" if "extracted" in self.origins.values() else "joined"

    @property
    def coverages(self) -> tuple[float, ...]:
        """The coverages whose RFDs give the rule, directly or by joins within that coverage."""
        return tuple(float(coverage) for coverage in self.origins if coverage != LATTICE)

    def as_json(self) -> dict[str, object]:
        """The rule as the commands print it."""
        m = self.measures

        def of_class(value: float) -> float | None:
            return value if self.has_class else None

        return {
            "id": self.id,
            "levels": dict(self.levels),
            "literal": literal(self.levels),
            "origin": self.origin,
            "origins": dict(self.origins),
            "parents": list(self.parents),
            "coverages": list(self.coverages),
            "k": m.k,
            "k_with_class": of_class(m.k_with_class),
            "classes": m.classes,
            "suppressed": m.suppressed,
            "privacy": dict(m.privacy),
            "information_gain": of_class(m.information_gain),
            "information_gain_corrected": of_class(m.information_gain_corrected),
            "alike_pairs": of_class(m.alike_pairs),
            "violating_pairs": of_class(m.violating_pairs),
            "violating_share": of_class(m.violating_share),
            "accuracy": dict(self.accuracy),
            "accuracy_standard_error": dict(self.accuracy_error),
            "balanced_accuracy": dict(self.balanced_accuracy),
            "macro_f1": dict(self.macro_f1),
            "roc_auc": dict(self.roc_auc),
            "rfd": None if self.dependency is None else self.dependency.as_json(),
            "information_kept": dict(self.information_kept),
            "information_kept_overall": self.information_kept_overall,
            "utility": dict(self.utility),
            "proven": self.proven,
            "on_frontier": self.on_frontier,
            "equal_to": list(self.equal_to),
            "tied_with": list(self.tied_with),
            "tells_nothing": self.tells_nothing,
            "associated": self.associated,
            "fold_accuracy": {model: list(scores) for model, scores in self.fold_accuracy.items()},
            "fold_balanced_accuracy": {model: list(scores) for model, scores in self.fold_balanced_accuracy.items()},
        }


METHOD: Mapping[str, str] = {"name": "rule"}
"""How a receipt names the method of a release by a rule."""


def literal(levels: Mapping[str, int]) -> str:
    """A rule as text: ``age=3,"odd name"=0``.

    >>> literal({"age": 3, 'an "odd", name': 0})
    'age=3,"an ""odd"", name"=0'
    """
    return ",".join(f"{_quoted(name)}={level}" for name, level in levels.items())


def rfd_notation(levels: Mapping[str, int], class_: str) -> str:
    """The RFD that a rule stands for, as Caruccio et al. 2022 write it (section 2.1, Example 4).

    >>> rfd_notation({"age": 3, "fnlwgt": 2}, "classes")
    'age<=3, fnlwgt<=2 -> classes<=0'
    """
    before = ", ".join(f"{_quoted(name)}<={level}" for name, level in levels.items())
    return f"{before or '{}'} -> {_quoted(class_)}<=0"


def parse_literal(text: str) -> dict[str, int]:
    """Read a rule literal; raises RuleError with the place that cannot be read.

    >>> parse_literal('age=3, "odd, name"=0')
    {'age': 3, 'odd, name': 0}
    """
    levels: dict[str, int] = {}
    rest = text.strip()
    while rest:
        name, rest = _read_name(rest, text)
        digits, comma, rest = rest.partition(",")
        if not digits.strip().isdecimal():
            raise RuleError(
                f"the rule {text!r} gives {name!r} the level {digits.strip()!r}; a level is a whole number from 0"
            )
        if name in levels:
            raise RuleError(f"the rule {text!r} names {name!r} twice; an attribute has one level")
        levels[name] = int(digits)
        rest = rest.strip()
        if comma and not rest:
            raise RuleError(f"the rule {text!r} ends in a comma; write attribute=level pairs with commas between them")
    if not levels:
        raise RuleError('the rule is empty; write attribute=level pairs, such as age=3,"odd name"=0')
    return levels


def check_names(levels: Mapping[str, int], roots: Mapping[str, int]) -> None:
    """Raise RuleError for an attribute that is no quasi-identifier."""
    for name in levels:
        if name not in roots:
            raise RuleError(
                f"the rule names {name!r}, which is not a quasi-identifier{did_you_mean(name, roots)}; those are "
                f"{', '.join(map(repr, roots))}"
            )


def check_levels(levels: Mapping[str, int], roots: Mapping[str, int]) -> dict[str, int]:
    """The named attributes under their roots; raises RuleError for unknown attributes or levels."""
    check_names(levels, roots)
    for name, level in levels.items():
        if not isinstance(level, Integral) or isinstance(level, bool) or not 0 <= level <= roots[name]:
            raise RuleError(
                f"the rule gives {name!r} level {level!r}; its taxonomy has levels 0 to {roots[name]} (the root), and "
                "fewer for a larger k than the config requires; `anonduck taxonomy show COLUMN` shows it"
            )
    return {name: levels[name] for name in roots if levels.get(name, roots[name]) < roots[name]}


def _quoted(name: str) -> str:
    plain = name and not any(c in name for c in '",=') and name == name.strip()
    return name if plain else '"' + name.replace('"', '""') + '"'


def _read_name(rest: str, text: str) -> tuple[str, str]:
    if not rest.startswith('"'):
        name, equals, after = rest.partition("=")
        if not equals or not name.strip() or any(c in name for c in '",'):
            raise RuleError(
                f'the rule {text!r} has no attribute=level at {rest!r}; write age=3,"odd name"=0, or an '
                "id as lists show it: R1 of a rule, M1 of another candidate"
            )
        return name.strip(), after
    at = 1
    while True:
        at = rest.find('"', at)
        if at < 0:
            raise RuleError(f"the rule {text!r} has a quote that is not closed")
        if rest[at : at + 2] != '""':
            break
        at += 2
    name, after = rest[1:at].replace('""', '"'), rest[at + 1 :].lstrip()
    if not after.startswith("="):
        raise RuleError(f'the rule {text!r} has no level for {name!r}; write "{name}"=0')
    return name, after[1:]
