"""Requirements on a release: read, checked, and compared with what the release reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonduck.errors import AuditError
from anonduck.privacy.definition import AT_LEAST, LESS_THAN, PARAMETER, UNIT, Argument, PrivacyModel
from anonduck.privacy.models import MODELS
from anonduck.words import did_you_mean

TOLERANCE = 1e-9  # relative; sums of shares carry rounding errors, counts do not


@dataclass(frozen=True)
class Preset:
    """A k, and the context in which data custodians have used it.

    After the precedents that El Emam collects: Guide to the De-Identification of Personal Health Information (2013).
    They are customs, not law.
    """

    k: int
    context: str

    @property
    def risk(self) -> float:
        """The highest chance that a record is traced to its person: 1 / k."""
        return 1 / self.k


PRESETS: Mapping[str, Preset] = {
    "internal": Preset(3, "data that stays with trusted people"),
    "restricted": Preset(5, "data given to named recipients under an agreement"),
    "public": Preset(11, "data open to anybody"),
    "public-patients": Preset(20, "patient data open to anybody"),
}
"""Presets by name, from the mildest to the strictest."""


Number = int | float
Required = Number | Mapping[str, Number] | Sequence[Number]


@dataclass(frozen=True)
class Criterion:
    """A requirement: the model and the number of each of its arguments.

    ``of_policy`` says that it counts the sensitive values that a policy names, whichever those of the config are.
    """

    model: PrivacyModel
    numbers: Mapping[str, Number]
    of_policy: bool = False

    @property
    def parameters(self) -> dict[str, Number | None]:
        """The numbers that define the measure; None for a unit that was not given."""
        return {argument.name: self.numbers.get(argument.name) for argument in self.model.parameters}

    @property
    def required(self) -> Any:
        """The requirement as the config writes it: a number, or a mapping if there are several."""
        return plain(self.numbers)

    @property
    def text(self) -> str:
        """The requirement in words."""
        words = {"at least": ">=", "at most": "<=", "less than": "<"}
        if len(self.numbers) == 1:
            return f"{self.model.name} {words[self.model.bounds[0].kind]} {self.required}{self._whose}"
        given = [one for one in self.model.arguments if one.name in self.numbers]
        parts = [f"{one.name} {words.get(one.kind, '=')} {self.numbers[one.name]}" for one in given]
        return f"{self.model.name} ({', '.join(parts)}){self._whose}"

    @property
    def _whose(self) -> str:
        return " by the values of the policy" if self.of_policy else ""

    def met_by(self, reached: Mapping[str, float]) -> bool:
        """Whether every bound holds; shares and entropies are compared with a relative tolerance of 1e-9."""
        return all(self.bound_holds(bound, reached[bound.name]) for bound in self.model.bounds)

    def weaker_than(self, other: Criterion) -> bool:
        """Whether any of its numbers asks for less than another requirement of the same model."""
        return any(
            self._comparable(one) < other._comparable(one)
            if one.kind in (AT_LEAST, PARAMETER)
            else self._comparable(one) > other._comparable(one)
            for one in self.model.arguments
            if one.kind != UNIT
        )

    def _comparable(self, argument: Argument) -> float:
        """A number in natural units, so that bounds with different bases of the logarithm compare."""
        bases = [
            self.numbers[one.name] for one in self.model.parameters if one.kind == UNIT and one.name in self.numbers
        ]
        return self.numbers[argument.name] * math.prod(map(math.log, bases))

    def bound_holds(self, bound: Argument, reached: Any) -> Any:
        """Whether one bound holds for a number, or for each number of an array."""
        return _holds(bound, self.numbers[bound.name], reached)


@dataclass(frozen=True)
class CriterionResult:
    """One requirement and what the file reaches; of several sensitive attributes the worst, ``attribute``.

    If the number is only a lower bound, ``upper`` is the upper bound. The requirement is judged by the lower one.
    """

    asked: Criterion
    numbers: Mapping[str, float]
    attribute: str | None = None
    upper: float | None = None

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.asked.model.name

    @property
    def required(self) -> Any:
        """The required number or mapping, as the config writes it."""
        return self.asked.required

    @property
    def reached(self) -> Any:
        """The reached number, or a mapping if there are several."""
        return plain(self.numbers)

    @property
    def met(self) -> bool:
        """Whether the requirement is met."""
        return self.asked.met_by(self.numbers)

    @property
    def not_shown(self) -> bool:
        """Whether the bounds decide nothing: it may be met, but is not taken as met."""
        if self.upper is None or self.met:
            return False
        return self.asked.met_by(dict.fromkeys(self.numbers, self.upper))

    def as_json(self) -> dict[str, Any]:
        """The line of the report."""
        line = {"name": self.name, "required": self.required, "reached": finite(self.reached), "met": self.met}
        return line | self.remarks

    @property
    def remarks(self) -> dict[str, Any]:
        """Further keys of the line.

        ``at_most`` if the number must not be exceeded; ``by_policy`` if it counts the sensitive values of a policy;
        ``upper_end`` if it is the upper end of an interval;
        ``attribute`` if there are several; ``upper_bound`` and ``not_shown`` if the number is only a lower bound.
        """
        model = self.asked.model
        marks: dict[str, Any] = {"at_most": True} if model.at_most else {}
        marks |= {"upper_end": True} if model.upper_end else {}
        marks |= {"by_policy": True} if self.asked.of_policy else {}
        marks |= {} if self.attribute is None else {"attribute": self.attribute}
        return marks | ({} if self.upper is None else {"upper_bound": finite(self.upper), "not_shown": self.not_shown})


def plain(numbers: Mapping[str, Any]) -> Any:
    """One number as itself, several as a mapping."""
    return next(iter(numbers.values())) if len(numbers) == 1 else dict(numbers)


def finite(value: Any) -> Any:
    """A value for JSON, which has no infinity: the word stands for it."""
    if isinstance(value, Mapping):
        return {name: finite(one) for name, one in value.items()}
    return "infinite" if isinstance(value, float) and math.isinf(value) else value


def ask(requirements: Mapping[str, Required]) -> tuple[Criterion, ...]:
    """Check requirements, such as ``{"k": 5, "t": 0.2, "recursive_l": {"l": 3, "c": 2}}``. Raises AuditError."""
    return tuple(_asked(name, required) for name, required in requirements.items())


def required_k(asked: Sequence[Criterion]) -> int:
    """The required k, 1 if none."""
    return next((int(one.required) for one in asked if one.model.name == "k"), 1)


def read_requirement(text: str) -> tuple[str, Required]:
    """Read ``k=5`` or ``recursive_l=3,2``. Raises AuditError."""
    name, equals, value = (part.strip() for part in text.partition("="))
    numbers = [_number(part) for part in value.split(",")]
    found = [number for number in numbers if number is not None]
    if not equals or not name or len(found) < len(numbers):
        raise AuditError(f"a requirement is NAME=NUMBER, such as k=5, t=0.2 or recursive_l=3,2; it is {text!r}")
    return name, found[0] if len(found) == 1 else found


def _number(text: str) -> Number | None:
    try:
        return int(text) if text.strip().isdecimal() else float(text)
    except ValueError:
        return None


def _asked(name: str, required: Required) -> Criterion:
    if name not in MODELS:
        raise AuditError(
            f"unknown requirement {name!r}{did_you_mean(name, MODELS)}; requirements are {', '.join(MODELS)}"
        )
    model = MODELS[name]
    numbers = _named(model, required)
    for argument in model.arguments:
        if argument.name in numbers:
            _check(model, argument, numbers[argument.name])
    return Criterion(model, numbers)


def _named(model: PrivacyModel, required: Required) -> dict[str, Number]:
    """The numbers by the names of the arguments, from a mapping, a sequence, or one number."""
    names = [argument.name for argument in model.arguments]
    needed = [argument.name for argument in model.arguments if argument.kind != UNIT]
    if isinstance(required, Mapping) and set(needed) <= set(required) <= set(names):
        return {name: required[name] for name in names if name in required}
    if isinstance(required, (list, tuple)) and len(needed) <= len(required) <= len(names):
        return dict(zip(names, required, strict=False))
    if len(needed) == 1 and not isinstance(required, (Mapping, list, tuple)):
        return {needed[0]: required}  # type: ignore[dict-item]
    takes = f"the numbers {', '.join(names)}" if len(needed) > 1 else "one number"
    if 1 == len(needed) < len(names):
        takes += f", or {' and '.join(names)}"
    raise AuditError(f"the requirement {model.name} takes {takes}; it is {required!r}")


def _check(model: PrivacyModel, argument: Argument, number: object) -> None:
    kind = (int,) if argument.whole else (int, float)
    fits = isinstance(number, kind) and not isinstance(number, bool) and math.isfinite(number)
    if fits and argument.lowest <= number and (argument.highest is None or number <= argument.highest):  # type: ignore[operator]
        return
    whose = model.name if len(model.arguments) == 1 else f"{model.name} ({argument.name})"
    what = "a whole number" if argument.whole else "a number"
    allowed = f"of {argument.lowest:g} or more" if argument.highest is None else f"from {argument.lowest:g} to 1"
    raise AuditError(f"the requirement {whose} must be {what} {allowed}; it is {number!r}")


def _holds(bound: Argument, required: Number, reached: Any) -> Any:
    if bound.kind == LESS_THAN:
        return reached < required
    slack = 0 if bound.whole else TOLERANCE * max(1, abs(required))
    return reached >= required - slack if bound.kind == AT_LEAST else reached <= required + slack
