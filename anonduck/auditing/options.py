"""What an audit is asked: the roles of columns, the requirements, and what is given beside the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.errors import AuditError
from anonduck.privacy.audited_file import listed
from anonduck.privacy.chosen_values import ValueChoices, choose
from anonduck.privacy.lookup import paths
from anonduck.privacy.requirement import PRESETS, Criterion, Required, ask, required_k

if TYPE_CHECKING:
    import pandas as pd

RISK_THRESHOLD = 0.2
MULTIPLE = ("each", "joint")
MEASURED = ("all", "required")


@dataclass(frozen=True)
class AuditOptions:
    """The checked options of ``anonduck.audit``. Raises AuditError for invalid ones.

    Roles: quasi-identifiers are by default all columns without another role; if there are none, all records are one
    class. ``entity`` is the key of a person who may have several records: k, the risks and the models of sensitive
    values then count persons. ``requirements`` has the names and forms of docs/privacy-models.md.

    ``population`` is a table of all who could be in the release, one record a person, with quasi-identifiers
    generalized in the same way. ``taxonomies`` maps sensitive columns to lookup files (or DataFrames) with one column
    per level, leaf first. ``sampling_fraction`` is the share of the population in the release. A record is at risk over
    ``risk_threshold`` (default 0.2). ``multiple_sensitive="joint"`` treats the other sensitive attributes as
    quasi-identifiers in l-diversity. ``measures="required"`` measures only what is required.

    ``preset`` names a context of publication (``anonduck.privacy.requirement.PRESETS``): it requires its k, unless
    another k is required, and sets the risk threshold. ``order`` lists the values of sensitive columns from lowest to
    highest, where they are neither numbers nor dates. ``sensitive_values`` names, by sensitive column, the values that
    bounds of single values count (alpha, LKC's C, both beta-likenesses, delta-disclosure): ``["hiv", "cancer"]``, or
    all but some, ``{"except": ["none"]}``. None is NULL, and values are compared as texts. If the file holds none of a
    column's named values, a required bound would check nothing and is refused, unless ``allow_absent``.

    ``against`` is an earlier release of the same people, whose classes are intersected with those of this one, ignoring
    the columns in ``uncompared``. k is then required of the intersections too, and ``taxonomies`` may include
    quasi-identifiers. Who is in both classes is known if both files have the ``entity``, or from ``original``, the
    table that both were made of, with one record a person. Otherwise no more than 1 is shown. ``delim`` is the
    separator of CSV files.

    All other columns are kept as they are. A value of theirs is rare if fewer than ``rare_under`` records, or persons,
    hold it; the default is the required k, or the k reached, at least two. ``at_most`` is the largest number of records
    of one person, if the file has no key of persons. With ``row_order`` the file is also checked for the order of its
    rows (``anonduck.auditing.report``), which sorts it.
    ``receipt`` is that of the file: the roles that it names are used once its hash is that of the file, and the report
    has the sizes of the classes by all columns too.
    """

    quasi_identifiers: Sequence[str] | None = None
    sensitive: Sequence[str] = ()
    class_: str | None = None
    requirements: Mapping[str, Required] = field(default_factory=dict)
    insensitive: Sequence[str] = ()
    entity: str | None = None
    population: object | None = None
    taxonomies: Mapping[str, Any] = field(default_factory=dict)
    sampling_fraction: float | None = None
    risk_threshold: float | None = None
    multiple_sensitive: str = "each"
    measures: str = "all"
    preset: str | None = None
    sensitive_values: Mapping[str, Any] = field(default_factory=dict)
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    allow_absent: bool = False
    against: object | None = None
    uncompared: Sequence[str] = ()
    original: object | None = None
    delim: str | None = None
    rare_under: int | None = None
    at_most: int = 1
    row_order: bool = False
    receipt: str | Path | None = None
    asked: tuple[Criterion, ...] = field(init=False)
    chosen: ValueChoices = field(init=False)

    def __post_init__(self) -> None:
        named = self.quasi_identifiers is not None or self.class_ is not None or self.sensitive or self.insensitive
        if self.receipt is not None and named:
            raise AuditError("a receipt names the roles of a file's columns; leave out the options that do")
        required = with_preset(self.requirements, self.preset)
        object.__setattr__(self, "asked", ask(_with_composition(required, self.against)))
        _check_numbers(self.sampling_fraction, self.threshold)
        _check_words(self.multiple_sensitive, self.measures)
        object.__setattr__(self, "chosen", choose(self.sensitive_values, self.sensitive))
        strangers = [name for name in self.order if name not in self.sensitive]
        if strangers:
            raise AuditError(f"order: {strangers[0]!r} is not among the sensitive columns, whose order t_ordered takes")
        _refuse_strangers(self.label_taxonomies, self.uncompared, self.against)
        _refuse_original(self)

    @property
    def others(self) -> list[str]:
        """The columns with another role."""
        class_ = [] if self.class_ is None else [self.class_]
        return [*self.sensitive, *class_, *self.insensitive, *([] if self.entity is None else [self.entity])]

    @property
    def everything(self) -> bool:
        """Whether to measure everything that can be measured, not only what is required."""
        return self.measures == "all"

    @property
    def read(self) -> tuple[str, ...]:
        """The sensitive columns whose values are read; none if no measure needs them."""
        needed = self.everything or any("sensitive" in one.model.needs for one in self.asked)
        return tuple(self.sensitive) if needed else ()

    @property
    def persons(self) -> bool:
        """Whether the file has a key of persons."""
        return self.entity is not None

    @property
    def joint(self) -> bool:
        """Whether models may treat the other sensitive attributes as quasi-identifiers."""
        return self.multiple_sensitive == "joint"

    @property
    def threshold(self) -> float:
        """The risk over which a record is at risk."""
        if self.risk_threshold is not None:
            return self.risk_threshold
        return RISK_THRESHOLD if self.preset is None else PRESETS[self.preset].risk

    @property
    def required_k(self) -> int:
        """The required k, 1 if none."""
        return required_k(self.asked)

    def rare_below(self, k: int) -> int:
        """The number of holders that a kept value needs in a release that reaches ``k``, unless the options set it."""
        required = next((int(one.required) for one in self.asked if one.model.name == "k"), k)
        return required if self.rare_under is None else self.rare_under

    @property
    def required_composition(self) -> int | None:
        """The required number of persons in each pair of classes; None if there is no such requirement."""
        return next((int(one.required) for one in self.asked if one.model.name == "composition"), None)

    @property
    def label_taxonomies(self) -> dict[str, Any]:
        """The taxonomies of columns that are not sensitive."""
        return {column: source for column, source in self.taxonomies.items() if column not in self.sensitive}

    def sensitive_paths(self) -> dict[str, pd.DataFrame]:
        """The taxonomies of sensitive columns, read. Raises AuditError for a file that is not a lookup."""
        return {column: paths(column, source) for column, source in self.taxonomies.items() if column in self.sensitive}


def with_preset(requirements: Mapping[str, Required], preset: str | None) -> Mapping[str, Required]:
    """The requirements with the k of a preset, unless they have one. Raises AuditError for an unknown preset."""
    if preset is None:
        return requirements
    if preset not in PRESETS:
        raise AuditError(f"unknown preset {preset!r}; presets are {', '.join(PRESETS)}")
    return {"k": PRESETS[preset].k, **requirements}


def _with_composition(requirements: Mapping[str, Required], against: object) -> dict[str, Required]:
    """With an earlier release, require k of the intersections too, unless they have a requirement."""
    composed = {"composition": requirements["k"]} if against is not None and "k" in requirements else {}
    return {**requirements, **composed, **requirements}


def _check_numbers(fraction: float | None, threshold: float) -> None:
    if fraction is not None and not 0 < fraction <= 1:
        raise AuditError(f"the sampling fraction must be greater than 0 and at most 1; got {fraction!r}")
    if not 0 <= threshold <= 1:
        raise AuditError(f"the risk threshold must be between 0 and 1; got {threshold!r}")


def _check_words(multiple: str, measures: str) -> None:
    if multiple not in MULTIPLE:
        raise AuditError(f"multiple_sensitive must be 'each' or 'joint'; got {multiple!r}")
    if measures not in MEASURED:
        raise AuditError(f"measures must be 'all' or 'required'; got {measures!r}")


def _refuse_strangers(labels: Mapping[str, Any], uncompared: Sequence[str], against: object) -> None:
    if labels and against is None:
        raise AuditError(
            f"a taxonomy is given for {listed(list(labels))}, which is not a sensitive column; name it with "
            "`--sensitive COLUMN`"
        )
    if uncompared and against is None:
        raise AuditError("columns are compared with an earlier release alone; name it with `--against FILE`")


def _refuse_original(options: AuditOptions) -> None:
    if options.original is None:
        return
    if options.against is None:
        raise AuditError("the original shows who is in two releases; name the earlier one with `--against FILE`")
    if options.entity is not None:
        raise AuditError(
            "an original is read without keys of persons, one record a person; where both releases have the key, "
            "`--entity COLUMN` alone is exact"
        )
