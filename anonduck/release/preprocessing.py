"""Pre-processing of what a release is made of (Majeed and Hwang 2023, 4.1.3), as far as it leaves every record in.

RELEASE_SET holds the values that classes are made of, and beside them the source's: a number outside the
range that its owner states is no value, and a missing value may be imputed. Imputed is the value nearest to the mean of
numbers and dates, and of all else the least frequent one: of the values that the taxonomy knows and k records hold, as
the release may show it. Records that equal others are counted, and stay: they are persons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.frequency.frequency_set import read_paths
from anonduck.methods.settings import IMPUTE
from anonduck.release.recoded_columns import leaf_numbers, level_column, scanned_column
from anonduck.release.recoder import ReleaseInputs
from anonduck.release.swap_settings import pairs
from anonduck.statements import line, statement
from anonduck.statements.column_types import FLOAT, is_numeric, is_temporal
from anonduck.statements.expansion import qualified
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA
from anonduck.statements.pipeline.column_names import value_column
from anonduck.statements.template import table_of


@dataclass(frozen=True)
class Preprocessing:
    """Whether missing values of the quasi-identifiers are imputed, and the range of numbers of some of these.

    A range has the least and the largest number that are values, infinite where there is no such bound. ``counts`` is
    what the receipt says of it.
    """

    inputs: ReleaseInputs
    impute: bool
    ranges: Mapping[str, tuple[float, float]]
    counts: dict[str, Any] = field(default_factory=lambda: {"columns": []}, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers whose values need not be those of the source."""
        names = self.inputs.roles.quasi_identifiers
        return tuple(name for name in names if self.impute or name in self.ranges)

    def scanned_column(self, name: str) -> str:
        """The column of RELEASE_SET with what the source has: beside the values of one that is pre-processed."""
        return scanned_column(name) if name in self.columns else value_column(name)

    def leave_out_outliers(self, database: Database) -> None:
        """Put NULL in the place of numbers outside their ranges in RELEASE_SET, which was scanned just now.

        Counts for each of ``columns`` how many records have no value and how many one outside its range, and how many
        records repeat another in all quasi-identifiers, the class and the sensitive columns.
        """
        if not self.columns:
            return
        roles = self.inputs.roles
        held = dict.fromkeys([*roles.quasi_identifiers, roles.class_, *roles.sensitive])
        alike = statement("release/equal_records.sql", columns={"held": [value_column(name) for name in held]})
        self.counts.update(columns=[], equal=database.value(alike))
        text = 'SELECT s.*, each(names, s."{name}@value" AS "{name}@scanned") FROM release_set AS s'
        scanned = line("release/preprocessing.leave_out_outliers", text, names=self.columns)
        database.run(table_of("release_set", scanned))
        for name, (least, largest) in self.ranges.items():  # NaN is above all numbers
            kind = self.inputs.source.column(name).type
            text = 'UPDATE release_set SET "{held}" = NULL WHERE "{held}" < $least OR "{held}" > $largest'
            query = line("release/preprocessing.leave_out_outliers", text, "least", "largest", held=value_column(name))
            database.run(query, {"least": _as_held(least, kind), "largest": _as_held(largest, kind)})
        for name in self.columns:
            missing, outliers = database.row(statement("release/unknown_cells.sql", column=_values(name)))
            told = {"name": name, "missing": missing, "outliers": outliers, "imputed": 0, "shown": 0}
            self.counts["columns"].append(told)

    def fill_in(self, database: Database) -> None:
        """Impute what RELEASE_SET lacks, once its values are looked up, and count the cells."""
        for one in self.counts["columns"] if self.impute else ():
            name, lacking = one["name"], one["missing"] + one["outliers"]
            code = self._typical_leaf(database, name) if lacking else None
            if code is not None:
                text = 'UPDATE release_set SET "{held}" = (SELECT value FROM {lookup} WHERE code_0 = $leaf) '
                text += 'WHERE "{held}" IS NULL'
                named = {"held": value_column(name), "lookup": qualified(LOOKUP_SCHEMA, name)}
                database.run(line("release/preprocessing.fill_in", text, "leaf", **named), {"leaf": code})
                one["imputed"] = lacking

    def described(self, database: Database, staying: str) -> dict[str, Any]:
        """The counts, with how many imputed cells the records of the set ``staying`` show under the root."""
        for one in self.counts["columns"]:
            columns = {**_values(one["name"]), "node_level": level_column(one["name"])}
            query = statement("release/invented_cells.sql", column=columns, table={"staying": staying})
            one["shown"] = database.value(query, {"root": self.inputs.taxonomies[one["name"]].root})
        return {"preprocessing": self.counts} if self.columns else {}

    @property
    def warnings(self) -> list[str]:
        """That values may be invented, where missing ones are imputed; it does not say whether some were."""
        if not self.impute:
            return []
        return [
            "cells without a value, or outside their range, hold an imputed value. Under the root, what the release "
            "shows of them is invented, and they count for k and in all measures like any other. Set the option "
            "`missing` to `keep` for a release that is true of each record"
        ]

    @property
    def remarks(self) -> list[str]:
        """How many values are invented, by column."""
        told = self.counts["columns"]
        imputed = ", ".join(f"{one['imputed']:,} of {one['name']!r}" for one in told if one["imputed"])
        return [f"imputed values: {imputed}"] if imputed else []

    def _typical_leaf(self, database: Database, name: str) -> int | None:
        """The code of the leaf that is imputed in a column; None where k records hold none that its taxonomy knows.

        Of equally near and equally frequent ones it is the first.
        """
        kind = self.inputs.source.column(name).type
        (_, nodes), records = read_paths(database, {name: 2}, schema=LOOKUP_SCHEMA)[name]
        leaves = np.flatnonzero(nodes)
        apart = records[leaves - 1].astype(np.float64)
        if self.inputs.taxonomies[name].ordered and (is_numeric(kind) or is_temporal(kind)):
            read = database.arrays(leaf_numbers(name, moments=is_temporal(kind)))["number"]
            numbers = np.ma.filled(read, np.nan)
            leaves = leaves[np.isfinite(numbers[leaves - 1])]
            apart = _from_mean(numbers[leaves - 1], records[leaves - 1])
        common = records[leaves - 1] >= self.inputs.requirement.k
        return int(leaves[np.argmin(np.where(common, apart, np.inf))]) if common.any() else None


def preprocessing(
    inputs: ReleaseInputs, options: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]
) -> Preprocessing:
    """What the options of a method ask for, and ``ranges`` of them.

    Raises ConfigError for a range of what is no quasi-identifier with numbers.
    """
    names = inputs.roles.quasi_identifiers
    for name in ranges:
        if name not in names:
            raise ConfigError(
                f"the option 'outliers' names {name!r}, which is no quasi-identifier; those are "
                f"{', '.join(map(repr, names))}"
            )
        kind = inputs.source.column(name).type
        if not is_numeric(kind):
            raise ConfigError(f"the option 'outliers' takes columns of numbers; {name!r} is {kind}")
    return Preprocessing(inputs, options.get("missing") == IMPUTE, ranges)


def number_ranges(options: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """The range of numbers by column, from the option ``outliers``; raises ConfigError for a text that is none."""
    ranges = pairs("outliers", str(options.get("outliers", "")), "COLUMN=LEAST..LARGEST")
    return {name: _range(name, text) for name, text in ranges.items()}


def _range(name: str, text: Any) -> tuple[float, float]:
    """``0..120``, of which one end may be left out."""
    low, sign, high = text.partition("..") if isinstance(text, str) else ("", "", "")
    try:
        least, largest = (float(low) if low.strip() else -math.inf, float(high) if high.strip() else math.inf)
    except ValueError:
        least, largest = math.nan, math.nan
    if not sign or not least <= largest or (not low.strip() and not high.strip()):
        raise ConfigError(
            f"the range of {name!r} in the option 'outliers' is LEAST..LARGEST, two numbers of which one may be left "
            f"out, such as 0..120 or 0..; not {text!r}"
        )
    return least, largest


def _as_held(bound: float, kind: str) -> float:
    """A bound as numbers of a type are compared with it: rounded like them where they are of single precision."""
    if kind != FLOAT:
        return bound
    with np.errstate(over="ignore"):
        return float(np.float32(bound))


def _values(name: str) -> dict[str, str]:
    return {"held_value": value_column(name), "scanned_value": scanned_column(name)}


def _from_mean(numbers: np.ndarray, records: np.ndarray) -> np.ndarray:
    """How far numbers are from their mean over records; by a scale of their own, by which none is too large to sum."""
    if not len(numbers):
        return numbers
    scaled = np.ldexp(numbers, -np.frexp(np.abs(numbers).max())[1])
    apart: np.ndarray = np.abs(scaled - math.fsum(scaled * records) / int(records.sum()))
    return apart
