"""Relations of sampled columns: which ones give the class away, and which ones repeat another column.

Results hold shares and names of columns, never a value. NULL counts as a value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonduck.database.connection import Database
from anonduck.init.profile import FEWEST_VALUES, ColumnProfile
from anonduck.source.columns import Column
from anonduck.statements import line
from anonduck.statements.column_types import is_binary
from anonduck.statements.expansion import Expression

if TYPE_CHECKING:
    import numpy as np

GIVEN_AWAY = 0.99
"""Of the records that naming the majority class gets wrong, the share that a column then gets right."""

FEWEST_EXCEPTIONS = 5
"""Records outside the largest group, under which that columns agree may be chance."""


@dataclass(frozen=True)
class ColumnRelations:
    """Columns that are better left aside.

    ``gives_away`` maps a column that gives the class away to the way it does. ``same`` maps a column to the first one
    that it repeats, and whether the values are equal or only correspond one to one.
    """

    gives_away: Mapping[str, str] = field(default_factory=dict)
    same: Mapping[str, tuple[str, bool]] = field(default_factory=dict)


def relations_of(database: Database, profiles: Sequence[ColumnProfile], class_: str | None) -> ColumnRelations:
    """Compare the sampled columns, which stand in the temporary table ``source_sample``, with the class and in pairs.

    Without a class, none gives it away. With fewer than 20 records there are no relations.
    """
    compared = [one for one in profiles if one.name == class_ or _comparable(one)]
    lacking = class_ is not None and all(one.name != class_ for one in compared)
    if not compared or compared[0].rows < FEWEST_VALUES or lacking:
        return ColumnRelations()
    codes = dict(zip([one.name for one in profiles], _arrays(database, "hash(COLUMNS(*))"), strict=True))
    nulls = dict(zip([one.name for one in profiles], _arrays(database, "COLUMNS(*) IS NULL"), strict=True))
    others = {one.name: _numbered(codes[one.name]) for one in compared if one.name != class_}
    target = None if class_ is None else _numbered(codes[class_])
    found = {} if target is None else {name: _giving(values, nulls[name], target) for name, values in others.items()}
    return ColumnRelations(
        gives_away={name: why for name, why in found.items() if why is not None},
        same=dict(_repeated(database, others)),
    )


def _arrays(database: Database, asked: str) -> list[np.ndarray]:
    """What is asked of each column of the sample, such as a hash of its values: two of 100,000 share one with a chance
    of under one in a billion."""
    text = "SELECT {asked} FROM source_sample"
    return list(database.arrays(line("init/column_relations._arrays", text, asked=Expression(asked))).values())


def _numbered(hashes: np.ndarray) -> np.ndarray:
    """The values of a column as numbers from 0."""
    import numpy as np

    codes: np.ndarray = np.unique(np.asarray(hashes), return_inverse=True)[1].reshape(-1)
    return codes


def _comparable(column: ColumnProfile) -> bool:
    flat = not (Column(column.name, column.type).nested or is_binary(column.type))
    return flat and column.distinct + (column.nulls > 0) > 1


# -- the class ---------------------------------------------------------------------------------------------------------


def _giving(values: np.ndarray, nulls: np.ndarray, target: np.ndarray) -> str | None:
    """How a column gives the class away; None if it does not."""
    share = share_predicted(values, target)
    if share >= GIVEN_AWAY:
        return f"its value tells the class{_of_how_many(share)}"
    share = share_predicted(nulls.astype(values.dtype), target) if nulls.any() else 0.0
    return f"whether it is NULL tells the class{_of_how_many(share)}" if share >= GIVEN_AWAY else None


def share_predicted(codes: np.ndarray, target: np.ndarray) -> float:
    """How much better other records with the same value predict the class than the largest class does.

    Returns 1 if they predict the class of every record, and 0 or less if the largest class predicts as well: the lambda
    of Goodman and Kruskal (1954), with each record left out of its own prediction, so that a column of unique values
    predicts nothing. Returns 0 if fewer than 5 records are outside the largest class.

    Args:
        codes: the value of each record, as a code from 0 on.
        target: the class of each record, as a code from 0 on.
    """
    import numpy as np

    records = len(codes)
    classes = int(target.max()) + 1
    majority = int(np.bincount(target).max())
    if records - majority < FEWEST_EXCEPTIONS:
        return 0.0
    cells, counts = np.unique(codes * classes + target, return_counts=True)
    order = np.lexsort((-counts, cells // classes))
    value, count = (cells // classes)[order], counts[order]
    first = np.r_[True, value[1:] != value[:-1]]
    second = np.r_[np.where(first[1:], 0, count[1:]), 0]
    right = int(count[first & (count - 1 > second)].sum())
    return (right - majority) / (records - majority)


def _of_how_many(share: float) -> str:
    return "" if share == 1 else f" of {int(share * 1000) / 10:g}% of the records that are not in the largest class"


# -- one another -------------------------------------------------------------------------------------------------------


def _repeated(database: Database, codes: Mapping[str, np.ndarray]) -> Iterator[tuple[str, tuple[str, bool]]]:
    """The columns that group the records as an earlier column does, each with that column."""
    firsts: dict[bytes, str] = {}
    for name, values in codes.items():
        grouping = by_first_record(values)
        first = firsts.setdefault(hashlib.blake2b(grouping.tobytes()).digest(), name)
        if first == name:
            continue
        alike = _alike(database, first, name)
        if alike or _grouped_enough(grouping):
            yield name, (first, alike)


def by_first_record(codes: np.ndarray) -> np.ndarray:
    """Number the values of a column by their first occurrence; equal for columns that group the records alike."""
    import numpy as np

    values = int(codes.max()) + 1
    first = np.zeros(values, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    place = np.empty(values, dtype=np.int64)
    place[np.argsort(first)] = np.arange(values)
    grouping: np.ndarray = place[codes]
    return grouping


def _grouped_enough(grouping: np.ndarray) -> bool:
    """Whether two columns hardly group the records alike by chance: most records share values, but not all the same."""
    import numpy as np

    sizes = np.bincount(grouping)
    return int(sizes[sizes > 1].sum()) * 2 >= len(grouping) and len(grouping) - int(sizes.max()) >= FEWEST_EXCEPTIONS


def _alike(database: Database, one: str, other: str) -> bool:
    text = (
        'SELECT count(*) FROM source_sample WHERE CAST("{one}" AS VARCHAR) IS DISTINCT FROM CAST("{other}" AS VARCHAR)'
    )
    return bool(database.value(line("init/column_relations._alike", text, one=one, other=other)) == 0)
