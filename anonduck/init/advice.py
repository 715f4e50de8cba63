"""Advice on wide tables: which columns tell the same, which alone tell records apart, what leaving them out gains.

Each quasi-identifier more makes equivalence classes smaller, and over a dozen of them leave few classes of k records at
any useful level (Aggarwal 2005). Measured on a sample of up to 100,000 records, on the values as they are:

- how much of what one column tells another one tells too: Theil's uncertainty coefficient (1972), the share of the
  entropy of the one that is mutual information with the other, corrected by Miller and Madow (1955);
- how far a column alone singles records out: the records whose value fewer than k others of the sample share, and
  its separation, the share of the pairs of records whose values differ (Motwani and Xu 2007);
- how many records are in classes under k at the finest levels, with and without a column.

What is told are counts and shares of columns, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any

from anonduck.source.columns import Column
from anonduck.source.engine import SAMPLE, SourceEngine
from anonduck.statements.builder_source import value_ranks
from anonduck.statements.column_types import has_order, is_text
from anonduck.words import counted

if TYPE_CHECKING:
    import numpy as np

    from anonduck.database.progress import Reporter

WIDE = 12
"""More quasi-identifiers than this get advice."""

PROXY = 0.5
"""From this share on of what a column tells, another one that tells it is its proxy."""

ALONE = 0.1
"""From this share on of the records, a column that leaves them under k alone is one to leave out."""

GAINED = 0.01
"""The share of the records that leaving columns out must bring into classes of k, to be named as a gain."""

GROUPS = 50
"""Values of a column that are told apart to compare it with others: an order is cut into so many parts, of texts the
most frequent are taken, so that few records a value do not look like knowledge."""

LISTED = 8
"""Pairs, and columns, that are listed in words."""

RARE = 0.01
"""Up to this share of the records, values that too few share are rare ones in a column, and suppression is proposed."""

MOST_SAMPLED = 100_000  # what the source's engine samples
SEED = 0


@dataclass(frozen=True)
class ProxyColumns:
    """A column of which another one, ``proxy``, tells ``share`` of what it tells; ``back`` is the other way round."""

    column: str
    proxy: str
    share: float
    back: float


@dataclass(frozen=True)
class ColumnAlone:
    """How far a column alone tells records apart, and what leaving it out gains.

    ``under_k`` records have a value that too few share; ``unique`` of them one that nobody shares; ``separation`` is
    the share of the pairs of records that differ. Without the column, ``under_k_without`` records are in classes under
    k.
    """

    column: str
    under_k: int
    unique: int
    separation: float
    under_k_without: int


@dataclass(frozen=True)
class Advice:
    """What to look at before a wide table is discovered; ``records`` were looked at, ``sampled`` if not all.

    ``under_k`` of them are in classes under ``k`` at the finest levels of all columns; ``leave_out`` are columns that
    may rather be left out, and without them ``under_k_without`` records are. ``half_without`` are the columns that tell
    most pairs apart, as many of them as it takes until fewer than half of the records are. ``rare`` records have a
    value that fewer than k share in one of the columns ``rare_in``, where hardly any record does.
    """

    k: int
    records: int
    sampled: bool
    under_k: int
    columns: tuple[ColumnAlone, ...]
    proxies: tuple[ProxyColumns, ...]
    leave_out: tuple[str, ...]
    under_k_without: int
    half_without: tuple[str, ...]
    rare: int
    rare_in: tuple[str, ...]

    @property
    def wide(self) -> bool:
        """Whether there are so many quasi-identifiers that the advice is worth reading."""
        return len(self.columns) > WIDE

    @property
    def suppression(self) -> float | None:
        """The share of the records that hold a rare value, rounded up to a thousandth; None where that is none."""
        return ceil(Fraction(self.rare * 1000, self.records)) / 1000 if self.rare else None

    @property
    def rare_text(self) -> str:
        """Whom that share would leave out at the finest levels, and what for."""
        of = f"a sample of {self.records:,}" if self.sampled else f"{self.records:,}"
        verb = "has" if self.rare == 1 else "have"
        return (
            f"{self.rare:,} of {of} records {verb} a rare value, one that fewer than {self.k} share, in "
            f"{', '.join(map(repr, self.rare_in))}, where hardly any record does. Where a release may leave such "
            "records out, all others keep more detail"
        )

    def as_json(self) -> dict[str, Any]:
        """What ``anonduck init --json`` prints."""
        return asdict(self) | {"suppression": self.suppression, "lines": list(self.lines)}

    @property
    def lines(self) -> tuple[str, ...]:
        """The advice in sentences."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        of = (
            f"a sample of {self.records:,} records"
            if self.sampled
            else f"all {counted(self.records, 'record', 'records')}"
        )
        many = " are many: each one more makes classes smaller. Measured" if self.wide else ", measured"
        yield f"{counted(len(self.columns), 'quasi-identifier', 'quasi-identifiers')}{many} on {of}:"
        for one in self.columns:
            if one.column in self.leave_out and one.under_k >= ALONE * self.records:
                yield (
                    f"{one.column!r} alone: {self._share(one.under_k)} have a value that fewer than {self.k} share; "
                    f"it tells {one.separation:.1%} of all pairs apart"
                )
        for pair in self.proxies[:LISTED]:
            yield f"{pair.column!r}: {pair.share:.0%} of what it tells, {pair.proxy!r} tells too"
        if len(self.proxies) > LISTED:
            yield f"and {len(self.proxies) - LISTED} more such pairs"
        yield f"in classes under {self.k} at the finest levels: {self._share(self.under_k)}"
        if self.leave_out and self.under_k - self.under_k_without >= GAINED * self.records:
            named = ", ".join(map(repr, self.leave_out))
            yield f"without {named}: {self._share(self.under_k_without)}"
        elif self.leave_out:
            yield "leaving these columns out alone would change little: the levels that discover finds do more"
        if len(self.half_without) > len(self.leave_out):
            named = ", ".join(map(repr, self.half_without[:LISTED]))
            more = len(self.half_without) - LISTED
            rest = f" and {more} more" if more > 0 else ""
            yield f"at the finest levels, fewer than half of the records would be only without {named}{rest}"

    def _share(self, part: int) -> str:
        return f"{part:,} of {counted(self.records, 'record', 'records')} ({part / self.records:.0%})"


def advise(engine: SourceEngine, columns: Sequence[str], *, k: int) -> Advice | None:
    """Look at the columns of a source; None where it has no record or no column is named.

    ``columns`` are the quasi-identifiers, ``k`` the records that a class needs. The source is scanned once.
    """
    engine.sample()
    try:
        return advise_sampled(engine, columns, k=k)
    finally:
        engine.database.drop(SAMPLE)


def advise_sampled(engine: SourceEngine, columns: Sequence[str], *, k: int) -> Advice | None:
    """The same of a source whose sample was left in the decision database."""
    if not columns:
        return None
    kinds = {column.name: column for column in engine.columns()}
    ranks = list(engine.database.arrays(value_ranks(columns)).values())
    if not len(ranks[0]):
        return None
    sampled = len(ranks[0]) >= MOST_SAMPLED and engine.count() > len(ranks[0])
    return advice_of(columns, ranks, [_ordered(kinds[name]) for name in columns], k=k, sampled=sampled)


def announce_if_wide(columns: Sequence[str], reporter: Reporter) -> None:
    """Say where advice is to be had on many quasi-identifiers."""
    if len(columns) > WIDE:
        reporter.announce(
            f"{len(columns)} quasi-identifiers are many, and each one more makes classes smaller; "
            "`project.advise()` says which to leave out"
        )


def _ordered(column: Column) -> bool:
    return has_order(column.type) and not is_text(column.type)


def advice_of(
    names: Sequence[str], ranks: Sequence[np.ndarray], ordered: Sequence[bool], *, k: int, sampled: bool = False
) -> Advice:
    """The advice on columns whose values are numbers; those of an ``ordered`` column have its order."""
    codes = [_from_zero(rank) for rank in ranks]
    hashed = _hashed(codes)
    whole = sum(hashed)
    alone = [_alone(*one, whole, k) for one in zip(names, codes, hashed, strict=True)]
    proxies = sorted(_proxies(names, codes, ordered), key=lambda one: (-one.share, one.column, one.proxy))
    leave_out = _leave_out(alone, proxies, len(codes[0]))
    rare = {one.column for one in alone if 0 < one.under_k <= RARE * len(codes[0])}
    rest = [one for name, one in zip(names, hashed, strict=True) if name not in leave_out]
    return Advice(
        k=k,
        records=len(codes[0]),
        sampled=sampled,
        under_k=_under(whole, k),
        columns=tuple(sorted(alone, key=lambda one: (-one.under_k, -one.separation, one.column))),
        proxies=tuple(proxies),
        leave_out=leave_out,
        under_k_without=_under(sum(rest), k),
        half_without=_half_without(alone, dict(zip(names, hashed, strict=True)), k),
        rare=_holding_rare([one for name, one in zip(names, codes, strict=True) if name in rare], k),
        rare_in=tuple(name for name in names if name in rare),
    )


def _half_without(alone: Sequence[ColumnAlone], hashed: Mapping[str, np.ndarray], k: int) -> tuple[str, ...]:
    """The columns to go without, by falling separation, until fewer than half of the records are under k."""
    rest = sum(hashed.values())
    gone: list[str] = []
    for one in sorted(alone, key=lambda one: (-one.separation, one.column)):
        if 2 * _under(rest, k) < len(hashed[one.column]):
            break
        rest = rest - hashed[one.column]
        gone.append(one.column)
    return tuple(gone)


def _holding_rare(codes: Sequence[np.ndarray], k: int) -> int:
    """The records that in one of the columns have a value that fewer than k records have."""
    import numpy as np

    return int(np.logical_or.reduce([(np.bincount(one) < k)[one] for one in codes]).sum()) if codes else 0


def _leave_out(alone: Sequence[ColumnAlone], proxies: Sequence[ProxyColumns], records: int) -> tuple[str, ...]:
    """The columns that leave many records under k alone, and of close pairs the one that the other tells."""
    told = {one.column: one for one in alone}
    chosen = [one.column for one in alone if one.under_k >= ALONE * records]
    for pair in proxies:
        if pair.column in chosen or pair.proxy in chosen:
            continue
        told_back = pair.back >= PROXY and told[pair.proxy].separation > told[pair.column].separation
        chosen.append(pair.proxy if told_back else pair.column)
    return tuple(sorted(chosen, key=lambda name: (-told[name].under_k, -told[name].separation, name)))[
        : max(0, len(alone) - 1)
    ]


def _alone(name: str, codes: np.ndarray, hashed: np.ndarray, whole: Any, k: int) -> ColumnAlone:
    import numpy as np

    counts = np.bincount(codes).astype(np.int64)
    records = len(codes)
    pairs = records * (records - 1)
    alike = int((counts * (counts - 1)).sum())
    return ColumnAlone(
        column=name,
        under_k=int(counts[counts < k].sum()),
        unique=int((counts == 1).sum()),
        separation=round(1 - alike / pairs, 6) if pairs else 0.0,
        under_k_without=_under(whole - hashed, k),
    )


def _hashed(codes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A random number of 64 bits for each value, so that the sum over columns tells the combination of a record.

    Two of 100,000 combinations have the same sum with a chance of less than one in a billion (Zobrist 1970).
    """
    import numpy as np

    random = np.random.default_rng(SEED)
    return [random.integers(0, 2**64, int(one.max()) + 1, dtype=np.uint64)[one] for one in codes]


def _under(keys: Any, k: int) -> int:
    """The records whose combination fewer than k records have."""
    import numpy as np

    _, counts = np.unique(keys, return_counts=True)
    return int(counts[counts < k].sum())


def _from_zero(rank: np.ndarray) -> np.ndarray:
    import numpy as np

    codes: np.ndarray = rank.astype(np.int64) - 1
    return codes


# -- what columns tell of one another ----------------------------------------------------------------------------------


def _proxies(names: Sequence[str], codes: Sequence[np.ndarray], ordered: Sequence[bool]) -> Iterator[ProxyColumns]:
    grouped = [_grouped(one, order) for one, order in zip(codes, ordered, strict=True)]
    entropies = {name: _entropy(one) for name, one in zip(names, grouped, strict=True)}
    for (one, left), (other, right) in combinations(zip(names, grouped, strict=True), 2):
        shares = _shared(left, right, entropies[one], entropies[other])
        if max(shares) >= PROXY:
            ahead = shares[0] >= shares[1]
            column, proxy = (one, other) if ahead else (other, one)
            yield ProxyColumns(column, proxy, max(shares), min(shares))


def _grouped(codes: np.ndarray, ordered: bool) -> np.ndarray:
    """The codes with few values: parts of an order that hold about as many records, or the most frequent values."""
    import numpy as np

    counts = np.bincount(codes)
    if len(counts) <= GROUPS:
        return codes
    if ordered:
        before = np.cumsum(counts) - counts
        group = before * GROUPS // len(codes)
    else:
        group = np.full(len(counts), GROUPS - 1)
        frequent = np.argsort(-counts, kind="stable")[: GROUPS - 1]
        group[frequent] = np.arange(GROUPS - 1)
    _, packed = np.unique(group[codes], return_inverse=True)
    return np.asarray(packed)


def _entropy(codes: np.ndarray) -> float:
    """In bits."""
    import numpy as np

    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log2(shares)).sum())


def _shared(left: np.ndarray, right: np.ndarray, of_left: float, of_right: float) -> tuple[float, float]:
    """Of what each of two columns tells, the share that the other one tells; 0 for a column that tells nothing."""
    import numpy as np

    both = left * (int(right.max()) + 1) + right
    values = [len(np.unique(one)) for one in (left, right, both)]
    bias = (values[2] - values[0] - values[1] + 1) / (2 * len(left) * np.log(2))
    mutual = max(0.0, of_left + of_right - _entropy(both) - bias)
    return tuple(round(min(1.0, mutual / own), 6) if own else 0.0 for own in (of_left, of_right))  # type: ignore[return-value]
