"""What arrives each night, and what a reader in the morning counts, in plain Python: nothing of anonduck is used here.

The quasi-identifiers of a partition are cells of an area, a month, a band of ages and a group of jobs, each of `CELL`
records or more, so that the locked rule always meets the requirement; each month is new, and so are most ZIP codes and
some ages and jobs. NULL is an area of its own.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

Record = dict[str, Any]

K, L = 5, 2
CELL = 7
RULE = "zip=3,seen=1,age=1,job=1"
ILLNESSES = ("flu", "gout", "measles", "mumps", "rickets")
JOBS = {"care": ("nurse", "carer", "midwife", "doctor"), "craft": ("smith", "joiner", "mason", "baker")}
BANDS = {"under 30": (18, 29), "[30, 50)": (30, 49), "50 and over": (50, 90)}
BREAKS = [[30, 50]]
AREAS = (None, "10", "11")
GROUP_OF = {job: group for group, jobs in JOBS.items() for job in jobs}
QUASI = ("zip", "seen", "age", "job")
KEPT = ("illness", "churned")
FAR_AWAY = "97531"
"""The ZIP code of an area in which fewer than K people live."""


def partition(night: int, random: Random) -> list[Record]:
    """The records of one month; later ones hold values that earlier ones do not."""
    month = datetime.date(2025 + night // 12, 1 + night % 12, 1)
    areas = (*AREAS, *(["12"] if night > 2 else []))
    records = [
        {
            "zip": area and f"{area}{random.randrange(1000):03}",
            "seen": month + datetime.timedelta(random.randrange(28)),
            "age": random.randint(*BANDS[band]),
            "job": random.choice(JOBS[group][: 2 + night]),
            "illness": ILLNESSES[number % len(ILLNESSES)],
            "churned": random.choice(("yes", "no")),
        }
        for area in areas
        for band in BANDS
        for group in JOBS
        for number in range(CELL + random.randrange(4))
    ]
    random.shuffle(records)
    return [{"person": f"P{night:02}-{number:05}", **record} for number, record in enumerate(records)]


def outliers(night: int) -> list[Record]:
    """Two persons where no others live: the locked rule cannot be met, a rule without ZIP codes can."""
    day = datetime.date(2025, 1, 5)
    plain = {"zip": FAR_AWAY, "seen": day, "age": 33, "job": "nurse", "churned": "no"}
    return [{"person": f"F{night:02}-{n}", **plain, "illness": ILLNESSES[n]} for n in range(2)]


def recoded(record: Record) -> tuple[Any, ...]:
    """What the locked rule shows of a record, and what is kept of it."""
    band = next(name for name, (low, high) in BANDS.items() if low <= record["age"] <= high)
    shown = (record["zip"] and record["zip"][:2] + "***", f"{record['seen']:%Y-%m}", band, GROUP_OF[record["job"]])
    return (*shown, *(record[name] for name in KEPT))


def faults(rows: Sequence[Mapping[str, Any]], records: Sequence[Record], *, locked: bool) -> list[str]:
    """What is wrong with the published rows, if they are to be those of the records."""
    if not rows:
        return ["nothing is published of some records"]
    found = []
    names = set(rows[0])
    if strange := names - {*QUASI, *KEPT}:
        found.append(f"columns that are not to be released: {sorted(strange)}")
    if lacking := set(KEPT) - names:
        return [*found, f"no column {sorted(lacking)}"]
    quasi = [name for name in QUASI if name in names]
    k, l_ = reached(rows, quasi)
    if k < K or l_ < L:
        found.append(f"k = {k} and l = {l_}, where {K} and {L} are required")
    if differing := unlike(_tuples(rows, KEPT), _tuples(records, KEPT)):
        found.append(f"{differing} of {len(rows)} rows are not of tonight's records, which are {len(records)}")
    elif locked and len(quasi) < len(QUASI):
        found.append(f"columns of the locked rule are missing: {sorted(set(QUASI) - names)}")
    elif locked and (differing := unlike(_tuples(rows, (*QUASI, *KEPT)), map(recoded, records))):
        found.append(f"{differing} of {len(rows)} rows show what the locked rule does not")
    return found


def reached(rows: Iterable[Mapping[str, Any]], quasi: Sequence[str]) -> tuple[int, int]:
    """The records of the smallest class, and the different illnesses of the class that has fewest."""
    sizes: Counter[tuple[Any, ...]] = Counter()
    ills: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in rows:
        key = tuple(row[name] for name in quasi)
        sizes[key] += 1
        ills[key].add(row["illness"])
    return min(sizes.values()), min(map(len, ills.values()))


def unlike(some: Iterable[tuple[Any, ...]], others: Iterable[tuple[Any, ...]]) -> int:
    """How many of some rows are not among others, or the other way round; the larger number."""
    one, other = Counter(some), Counter(others)
    return max((one - other).total(), (other - one).total())


def _tuples(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    return (tuple(row[name] for name in names) for row in rows)
