"""What describes a method: its name, the kind of recoding it finds, its options, its source and its protection."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from anonduck.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np

PROTECTS: Mapping[str, str] = {
    "levels": "each column is shown at one level in all records, and each group of equal records has k or more",
    "cuts": "each value of a column has a level of its own, the same in all records, and each group has k or more",
    "classes": "each group has k or more records, and shows as much detail as its own records allow",
    "distributions": "each record fits k or more original ones, and shows how often these have each value of the "
    "class; there are no groups of k records",
    "swapped": "values stand beside those of k or more similar records, from which each may have come",
}
ATTACKS: Mapping[str, str] = {
    "levels": "a group whose records share a class or a sensitive value tells it; a second release of the same records "
    "by another rule can be intersected with this one",
    "cuts": "as for a rule; and as the cuts were chosen by the class, where they are tells of it",
    "classes": "as for a rule; labels are the smallest that fit, so that values at their ends can be guessed "
    "(downcoding), and more detail makes linking easier",
    "distributions": "somebody who knows all original records can rule out most of those that a record fits, often all "
    "but one; and a distribution of one value tells it",
    "swapped": "each value is a true value of somebody, so that rare ones show who is in the data; where similar "
    "records share a value, swapping hides nothing",
}
"""By the kind of a recoding; docs/anonymize.md and docs/attacks.md say more."""
TYPICAL_ABLE = ("mondrian", "guided", "sequential", "topdown")
"""The methods whose classes can show typical values."""
SWAPPED_ABLE = (*TYPICAL_ABLE, "flexible")
"""The methods within whose classes values can be swapped."""
COUNTED = frozenset({"k", "suppression"})
"""Requirements that are checked without reading a sensitive value."""
MINIMALITY = (
    "sensitive values decided where the classes end, so that whoever knows the method can work out some of what the "
    "requirement on them hides (minimality); `anonduck attack RELEASE --original ORIGINAL --minimality` measures it"
)
RERUN = (
    "a model chose where classes end, so that one other value changes many of them: whoever knows the method, its "
    "settings and all values but one finds that one by running the method with each that it may be"
)


Meets: TypeAlias = "Callable[[np.ndarray, np.ndarray, int], np.ndarray]"
"""Whether groups of combinations meet what is required besides k.

Takes combinations, the group of each (from 0) and the number of groups; returns (groups,) bool.
"""

Progress = Callable[[str, int, int], None]
"""Called with what an algorithm is doing, how much of it is done, and how much there is in all."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Report no progress."""


Note = Callable[[str], None]
"""Called with a sentence on how the algorithm ended that users of the release should know."""


def no_note(_words: str) -> None:
    """Keep no note."""


class RaisedClasses(NamedTuple):
    """Classes that may be shown above their smallest common nodes.

    ``classes`` is the class of each combination, ``levels`` for each column the lowest level at which each class is
    shown, ``receipt`` what the receipt says about them, and ``revealed`` for each sensitive column the share of records
    whose value these levels reveal.
    """

    classes: np.ndarray
    levels: tuple[np.ndarray, ...]
    receipt: Mapping[str, Any]
    revealed: Sequence[float]


Algorithm = Callable[..., Any]
"""The function of a method. Its arguments and result depend on the kind of recoding:

- *classes*: the class of each combination, from 0, ``algorithm(data, k, meets, seed=..., progress=..., **options)``, or
  RaisedClasses. ``data`` is CodedRecords, and ``meets`` None where k is all that is required. Each class has k records
  and meets ``meets``, unless all records together do not. ``progress`` is called with the records that have a class.
- *cuts*: by column, the level at which each place is shown, with the arguments of classes; ``data`` has the class
  of its records, and ``meets`` judges all classes at once (see anonduck.methods.specialization).
- *distributions*: for each row of ``data.cells`` a closure in each column and how many of its k records have each value
  of the class, ``algorithm(data, k, numbers=..., seed=..., progress=..., **options)`` (see anonduck.methods.nsvdist).
- *swapped*: Clusters of k to 2k - 1 records, within which values are swapped, ``algorithm(data, k, together, seed=...,
  progress=..., note=..., **options)``; ``data`` is MixedRecords (see anonduck.methods.probabilistic).
- *levels*: the level vector of a rule, ``algorithm(space, seed=..., progress=..., **options)``, or None where there is
  none. ``space`` is a LevelSpace.
"""

Setting = bool | str | int | float
"""The value of an option."""

Allowance = Callable[..., float | None]
"""``allowance(k, records, **options)``: the largest share of records a method suppresses; None: as required."""


def as_required(k: int, records: int, **options: Any) -> None:
    """The default allowance: the requirement decides."""


def no_suppression(k: int, records: int, **options: Any) -> float:
    """The allowance of Incognito: no record is suppressed."""
    return 0.0


def at_most_k(k: int, records: int, *, suppress: bool) -> float | None:
    """Sweeney's allowance, the share of k records, with ``suppress``; else None, so that the requirement decides."""
    return min(1.0, k / records) if suppress and records else None


@dataclass(frozen=True)
class MethodOption:
    """An option of a method: true or false, one of ``choices``, a number of at least ``least``, or any text (``text``).

    With both ``choices`` and ``least``, either is allowed. A default that is a whole number makes the option a whole
    number. ``words`` say what the option does. ``aliases`` are other names of choices, for configs and calls. With the
    choices in ``reads_class`` the method reads the class of the records. An option with ``of_data`` changes the data
    that the algorithm gets and is not passed to it. ``method_words`` say by choice what the method does instead.
    """

    name: str
    default: Setting
    words: str
    choices: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    reads_class: tuple[str, ...] = ()
    of_data: bool = False
    least: float | None = None
    text: bool = False
    method_words: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> str:
        """The allowed values, in words."""
        if self.text:
            return "text"
        whole = "whole " if type(self.default) is int else ""
        number = [] if self.least is None else [f"a {whole}number from {self.least:g} on"]
        return " or ".join([*self.choices, *number]) or "true or false"

    def choice_of(self, value: Any) -> Any:
        """The choice that a value is another name of; else the value."""
        return self.aliases.get(value, value) if isinstance(value, str) else value

    def takes(self, value: object) -> bool:
        """Whether a value is allowed."""
        if self.text:
            return isinstance(value, str)
        value = self.choice_of(value)
        if self.least is None or isinstance(value, str):
            return value in self.choices if self.choices else isinstance(value, bool)
        kinds = (int,) if type(self.default) is int else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and self.least <= value < math.inf


@dataclass(frozen=True)
class Method:
    """A way to anonymize: ``recoding`` is the kind of recoding it finds, ``source`` the paper that defines it.

    The work of a ``bounded`` method has a bound that may end it early; its algorithm then takes ``note`` too. A
    ``weighed`` method reads the sensitive values of the records and, if it reads their class, how useful columns are.
    A ``taught`` method reads what a model expects of the class of records. ``by_class`` says why a method works by the
    class whatever its options are. ``eased`` names settings that leave more to release, for messages. A method that
    ``cuts`` tells of its cuts, of which a tree can be made.
    """

    name: str
    recoding: str
    options: tuple[MethodOption, ...]
    source: str
    words: str
    algorithm: Algorithm
    allowance: Allowance = as_required
    bounded: bool = False
    weighed: bool = False
    taught: bool = False
    by_class: str = ""
    eased: str = ""
    cuts: bool = False

    def resolve_options(self, *given: Mapping[str, Any]) -> dict[str, Setting]:
        """All options; later arguments override earlier ones and defaults. Raises ConfigError for a wrong option."""
        chosen: dict[str, bool | float | str] = {option.name: option.default for option in self.options}
        named = {option.name: option for option in self.options}
        for options in given:
            for name, value in options.items():
                self._refuse(name, value)
                chosen[name] = named[name].choice_of(value)
        return chosen

    def algorithm_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options that are passed to the algorithm."""
        return {option.name: options[option.name] for option in self.options if not option.of_data}

    def reads_class(self, options: Mapping[str, Any]) -> bool:
        """Whether the method reads the class of the records with these options."""
        return self.taught or any(options[option.name] in option.reads_class for option in self.options)

    def finds_tree(self, options: Mapping[str, Any]) -> bool:
        """Whether its classes are the leaves of a cut tree, as cuts part no records that are alike."""
        return self.cuts and bool(options.get("strict", True))

    def why_class(self, options: Mapping[str, Any], *, sensitive: bool) -> str:
        """Why the method needs a class with these options; empty where it does not.

        ``sensitive`` says whether there are sensitive columns: without them, a weighed method reads the class instead.
        """
        if self.by_class:
            return f"the method {self.name} {self.by_class}"
        if self.taught:
            return f"the method {self.name} asks a model what class it expects"
        for option in self.options:
            if options[option.name] in option.reads_class:
                return f"the method {self.name} reads the class with {option.name}={options[option.name]}"
        if self.weighed and not sensitive:
            return f"the method {self.name} reads sensitive columns, and without them the class"
        return ""

    def attacks(self, model: Collection[str] = (), recoding: str = "") -> str:
        """How a release by this method can be attacked, if it had to meet these privacy models.

        ``recoding`` is the kind of what is shown, where that is not what it finds.
        """
        known = [ATTACKS[recoding or self.recoding]]
        known += [RERUN] if self.taught else []
        return "; ".join([*known, *([MINIMALITY] if set(model) - COUNTED else [])])

    def described(
        self, options: Mapping[str, Any], model: Mapping[str, Any], more: str = "", *, recoding: str = ""
    ) -> dict[str, Any]:
        """``method`` of a receipt: its options, and what it had to meet by privacy model.

        ``more`` is added to its words where the privacy model is no requirement on classes; ``recoding`` is the kind of
        what is shown, where that is not what it finds.
        """
        does = [one.method_words.get(str(options.get(one.name)), "") for one in self.options]
        words = f"{self.name}: {next(filter(None, does), self.words)} ({self.source})"
        return {
            "name": self.name,
            "options": dict(options),
            "model": dict(model),
            "words": f"{words}. {more}" if more else words,
            "attacks": self.attacks(() if more else model, recoding),
        }

    def _refuse(self, name: str, value: Any) -> None:
        named = {option.name: option for option in self.options}
        if name not in named:
            raise ConfigError(f"the method {self.name} has no option {name!r}; it has {_listed(self.options)}")
        if not named[name].takes(value):
            raise ConfigError(f"the option {name!r} of the method {self.name} is {named[name].values}, not {value!r}")

    def as_json(self) -> dict[str, Any]:
        """The method as ``anonduck anonymize --list --json`` prints it."""
        options = [
            {
                "name": one.name,
                "default": one.default,
                "words": one.words,
                **({"choices": list(one.choices)} if one.choices else {}),
                **({"aliases": dict(one.aliases)} if one.aliases else {}),
                **({} if one.least is None else {"least": one.least}),
                **({"text": True} if one.text else {}),
            }
            for one in self.options
        ]
        return {
            "name": self.name,
            "words": self.words,
            "recoding": self.recoding,
            "options": options,
            "source": self.source,
        }


def _listed(options: Sequence[MethodOption]) -> str:
    return ", ".join(option.name for option in options) or "none"
