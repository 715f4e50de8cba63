"""A made-up export of persons, to try anonduck on: seeded, with columns that depend on each other as real ones do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.database.private_file import whole_file
from anonduck.database.session import Tracer
from anonduck.errors import ConfigError, SourceError
from anonduck.statements import statement

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

CLASS = "buys_insurance"
"""The column to predict: `yes` for about two persons in five."""

NULL_SHARE = 0.01
POSTCODES_PER_REGION = 30

EDUCATION = ("none", "school", "vocational", "bachelor", "master", "doctorate")
MARITAL = ("single", "partnered", "married", "divorced", "widowed")
CHANNELS = ("branch", "letter", "phone", "web")

# per job: how many have it by education (in the order of EDUCATION), and a year's pay in thousands
JOBS: Mapping[str, tuple[Sequence[float], float]] = {
    "cleaner": ((9, 5, 1, 0.2, 0.1, 0), 21),
    "driver": ((5, 6, 3, 0.3, 0.1, 0), 27),
    "cook": ((4, 5, 4, 0.3, 0.1, 0), 25),
    "sales clerk": ((4, 8, 5, 2, 0.5, 0.1), 28),
    "carer": ((2, 5, 6, 1, 0.3, 0), 29),
    "electrician": ((0.5, 2, 9, 0.5, 0.1, 0), 36),
    "mechanic": ((1, 3, 8, 0.4, 0.1, 0), 34),
    "nurse": ((0, 0.5, 6, 5, 1, 0.2), 38),
    "accountant": ((0, 0.5, 2, 8, 4, 0.3), 48),
    "teacher": ((0, 0, 0.3, 7, 9, 2), 46),
    "engineer": ((0, 0, 0.5, 8, 9, 4), 58),
    "software developer": ((0.1, 0.5, 1, 8, 6, 2), 60),
    "manager": ((0.2, 1, 2, 6, 7, 3), 68),
    "physician": ((0, 0, 0, 0.2, 3, 14), 86),
    "researcher": ((0, 0, 0, 0.3, 3, 16), 55),
    "none": ((8, 5, 2, 1.5, 1, 0.5), 13),
}


def write_demo_export(path: Path, *, rows: int = 50_000, seed: int = 0, tracer: Tracer | None = None) -> None:
    """Write a Parquet file of ``rows`` made-up persons; the same seed and versions give the same bytes.

    Raises ConfigError for fewer than one row, SourceError for a path that cannot be written.
    """
    if rows < 1:
        raise ConfigError(f"a demo export needs at least one person; it was asked for {rows}")
    database = Database(threads=1, tracer=tracer)
    try:
        database.register("demo_export", _persons(rows, seed))
        with whole_file(path, SourceError) as temporary:
            database.run(statement("demo/demo_export.sql"), {"path": str(temporary)})
    finally:
        database.close()


def _persons(rows: int, seed: int) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    draw = np.random.default_rng(seed)
    region = draw.choice(10, rows, p=np.arange(10, 0, -1) / 55)
    age = np.clip(18 + draw.gamma(3.2, 9.5, rows), 18, 95).astype(int)
    sex = draw.choice(["f", "m"], rows)
    education = _education(draw, age, region)
    job = _jobs(draw, education, age, sex)
    marital = _marital(draw, age)
    income = _income(draw, job, age, region)
    number = draw.permutation(np.arange(100_000, 100_000 + rows))
    persons = pd.DataFrame(
        {
            "person_id": number,
            "email": [f"person.{n}@example.org" for n in number],
            "age": age,
            "sex": sex,
            "postcode": _postcodes(draw, region),
            "job": np.array(list(JOBS))[job],
            "education": np.array(EDUCATION)[education],
            "marital_status": np.array(MARITAL)[marital],
            "income": income,
            "contact_channel": np.array(CHANNELS)[_channels(draw, age)],
            CLASS: np.where(_buys(draw, age, marital, income, job), "yes", "no"),
        }
    )
    return _with_nulls(draw, persons, ("postcode", "job", "marital_status", "income"))


def _choose(draw: np.random.Generator, weights: np.ndarray) -> np.ndarray:
    """For each row of weights (rows x choices, any scale) the index of one choice."""
    heights = weights.cumsum(axis=1)
    chosen: np.ndarray = (heights < draw.random((len(weights), 1)) * heights[:, -1:]).sum(axis=1)
    return chosen


def _education(draw: np.random.Generator, age: np.ndarray, region: np.ndarray) -> np.ndarray:
    """The young have studied longer, but not yet finished; the first regions hold the universities."""
    import numpy as np

    weights = np.tile([6.0, 22.0, 34.0, 22.0, 13.0, 3.0], (len(age), 1))
    weights[age > 60] *= [2.5, 1.6, 1.0, 0.5, 0.5, 0.7]
    weights[age < 25] *= [1.0, 2.0, 1.2, 0.7, 0.1, 0.0]
    weights[region < 2] *= [0.8, 0.8, 0.8, 1.3, 1.6, 2.0]
    return _choose(draw, weights)


def _jobs(draw: np.random.Generator, education: np.ndarray, age: np.ndarray, sex: np.ndarray) -> np.ndarray:
    """A job by education; some jobs go by sex, managers are older, and most people over 67 have no job."""
    import numpy as np

    names = list(JOBS)
    weights = np.array([by_education for by_education, _ in JOBS.values()])[:, education].T.copy()
    for name, times in (("carer", 3.0), ("nurse", 3.0), ("driver", 0.2), ("electrician", 0.1), ("mechanic", 0.1)):
        weights[sex == "f", names.index(name)] *= times
    weights[age < 30, names.index("manager")] *= 0.2
    weights[age > 67, : names.index("none")] *= 0.1
    weights[age > 67, names.index("none")] += 5
    return _choose(draw, weights)


def _marital(draw: np.random.Generator, age: np.ndarray) -> np.ndarray:
    import numpy as np

    weights = np.tile([30.0, 18.0, 38.0, 12.0, 2.0], (len(age), 1))
    weights[age < 28] = [70, 22, 7, 1, 0]
    weights[(age >= 28) & (age < 40)] = [32, 24, 38, 6, 0]
    weights[age > 65] = [8, 4, 52, 14, 22]
    return _choose(draw, weights)


def _income(draw: np.random.Generator, job: np.ndarray, age: np.ndarray, region: np.ndarray) -> np.ndarray:
    """A year's income, to 500: pay by job, experience and region, and chance."""
    import numpy as np

    pay = np.array([thousands for _, thousands in JOBS.values()])[job] * 1000
    experience = 0.8 + 0.4 * np.clip((age - 18) / 30, 0, 1)
    place = 1.12 - 0.025 * region
    income: np.ndarray = np.round(pay * experience * place * draw.lognormal(0, 0.18, len(job)) / 500) * 500
    return income


def _postcodes(draw: np.random.Generator, region: np.ndarray) -> list[str]:
    """Five digits: the region, then a place in it; neighbours begin alike, and some places are larger than others."""
    import numpy as np

    sizes = 1 / np.arange(1, POSTCODES_PER_REGION + 1)
    place = draw.choice(POSTCODES_PER_REGION, len(region), p=sizes / sizes.sum())
    return [f"{r}{p // 8}{p // 4 % 2 + 1}{p // 2 % 2 + 4}{p % 2 + 7}" for r, p in zip(region, place, strict=True)]


def _channels(draw: np.random.Generator, age: np.ndarray) -> np.ndarray:
    import numpy as np

    weights = np.tile([10.0, 10.0, 20.0, 60.0], (len(age), 1))
    weights[age > 60] = [35, 25, 25, 15]
    return _choose(draw, weights)


def _buys(
    draw: np.random.Generator, age: np.ndarray, marital: np.ndarray, income: np.ndarray, job: np.ndarray
) -> np.ndarray:
    """Who buys: people in the middle of life, married, with an income; fewer without a job."""
    import numpy as np

    leaning = (
        -1.5
        + 0.9 * ((age >= 35) & (age < 60))
        + np.array([-0.4, 0.1, 0.7, -0.1, 0.0])[marital]
        + 1.5 * (income > 45_000)
        - 0.6 * (job == list(JOBS).index("none"))
    )
    bought: np.ndarray = draw.random(len(age)) < 1 / (1 + np.exp(-leaning))
    return bought


def _with_nulls(draw: np.random.Generator, persons: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The persons, with NULL in a few records of each of the columns; incomes become whole numbers that may be NULL."""
    persons["income"] = persons["income"].astype("Int64")
    for name in columns:
        persons[name] = persons[name].mask(draw.random(len(persons)) < NULL_SHARE)
    return persons
