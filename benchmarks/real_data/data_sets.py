"""The tables that are measured: where they lie, what is their class, and what the paper says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.database.progress import Reporter

COVERAGES = (0.05, 0.1, 0.2, 0.5)
MIN_K = 2


@dataclass(frozen=True)
class DataSet:
    """A table of the paper with the authors' taxonomies."""

    name: str
    title: str
    file: str
    class_: str
    taxonomies: str
    where: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)


ADULT_BLOCKS = {
    "educationNum": "education-num",
    "martialStatus": "marital-status",
    "capitalGain": "capital-gain",
    "capitalLoss": "capital-loss",
    "HoursPerWeek": "hours-per-week",
    "NativeCountry": "native-country",
}

DATA_SETS = {
    item.name: item
    for item in (
        DataSet(
            name="adult",
            title="Adult",
            file="adult.csv",
            class_="class",
            taxonomies="TaxAdult",
            where='workclass is not null and occupation is not null and "native-country" is not null',
            mapping=ADULT_BLOCKS,
        ),
        DataSet(
            name="bank",
            title="Bank",
            file="bank-full.csv",
            class_="y",
            taxonomies="TaxBank",
        ),
        DataSet(
            name="electricity",
            title="Electricity",
            file="electricity.csv",
            class_="class",
            taxonomies="TaxElectricity",
        ),
    )
}


def open_project(item: DataSet, data: Path, database: Path, reporter: Reporter = Reporter()) -> Project:
    """A project on a table of the paper: all attributes but the class are quasi-identifiers.

    All pairs are joined, as the paper does.
    """
    filters: dict[str, Any] = {} if item.where is None else {"where": item.where}
    return Project(
        source=str((data / item.file).resolve()),
        class_=item.class_,
        search="rfd",
        sample="all",
        coverage=list(COVERAGES),
        models=["tree"],
        requirement={"k": MIN_K},
        database=database.resolve(),
        reporter=reporter,
        time_limit=None,
        **filters,
    )
