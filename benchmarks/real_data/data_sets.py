"""The tables that are measured: where they lie, what is their class, and what the paper says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonduck import Project
from anonduck.database.progress import Reporter

COVERAGES = (0.05, 0.1, 0.2, 0.5)
MIN_K = 2


@dataclass(frozen=True)
class DataSet:
    """A table of the paper with the authors' taxonomies; ``paper_k``: its largest k at the coverages that it tells."""

    name: str
    title: str
    file: str
    class_: str
    taxonomies: str
    where: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    paper_k: Mapping[float, int | None] = field(default_factory=dict)
    paper_reduction: str = ""


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
            paper_k={0.05: 469, 0.5: 78},
            paper_reduction="44 to 87 %",
        ),
        DataSet(
            name="bank",
            title="Bank",
            file="bank-full.csv",
            class_="y",
            taxonomies="TaxBank",
            paper_k={0.05: 752, 0.2: 61, 0.5: None},
            paper_reduction="86 to 92 %",
        ),
        DataSet(
            name="electricity",
            title="Electricity",
            file="electricity.csv",
            class_="class",
            taxonomies="TaxElectricity",
            paper_k={0.05: 7846, 0.5: 130},
            paper_reduction="60 to 63 %",
        ),
    )
}


@dataclass(frozen=True)
class SmallTable:
    """A small table that goes through the command line with default settings."""

    file: str
    class_: str
    identifiers: tuple[str, ...] = ()


SMALL_TABLES = (
    SmallTable("cmc.csv", "contraceptive_method"),
    SmallTable("mammographic_masses.csv", "severity"),
    SmallTable("german_credit.csv", "class"),
    SmallTable("breast_cancer_wisconsin.csv", "class", ("id",)),
)
BUILT_TABLES = tuple(table for table in SMALL_TABLES if table.file != "german_credit.csv")


def open_built(
    source: Path, class_: str, *, identifiers: Sequence[str] = (), insensitive: Sequence[str] = ()
) -> Project:
    """A project on another table, to be searched as those of the paper are, with a decision database in memory."""
    return Project(
        source=str(source.resolve()),
        class_=class_,
        search="rfd",
        sample="all",
        models=["tree"],
        coverage=list(COVERAGES),
        requirement={"k": MIN_K},
        identifiers=list(identifiers),
        insensitive=list(insensitive),
    )


def open_project(
    item: DataSet, data: Path, database: Path, reporter: Reporter = Reporter(), *, by_default: bool = False
) -> Project:
    """A project on a table of the paper: all attributes but the class are quasi-identifiers.

    All pairs are joined, as the paper does; ``by_default`` leaves that to what a discovery does by itself.
    """
    filters: dict[str, Any] = {} if item.where is None else {"where": item.where}
    mining: dict[str, Any] = {} if by_default else {"sample": "all", "coverage": list(COVERAGES)}
    return Project(
        source=str((data / item.file).resolve()),
        class_=item.class_,
        search="rfd",
        models=["tree"],
        requirement={"k": MIN_K},
        database=database.resolve(),
        reporter=reporter,
        time_limit=None,
        **filters,
        **mining,
    )
