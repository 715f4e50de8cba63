"""Advice on wide tables: which columns are redundant, which single records out, and what leaving them out gains.

Each additional quasi-identifier makes equivalence classes smaller, and more than a dozen leave few classes of k records
at any useful level (Aggarwal 2005). Measured on a sample of up to 100,000 records, on ungeneralized values:

- how much of the information of one column another one has too: Theil's uncertainty coefficient (1972), the share of
  the entropy of the one that is mutual information with the other, corrected by Miller and Madow (1955);
- how far a column alone singles records out: the records whose value fewer than k others of the sample share, and
  its separation, the share of the pairs of records whose values differ (Motwani and Xu 2007);
- how many records are in classes under k at the finest levels, with and without a column.

The advice holds counts and shares of columns, never a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from anonduck.database.progress import Progress, no_progress
from anonduck.init.identifying import codes_of, random_keys, sampled_ranks, separation
from anonduck.source.columns import Column
from anonduck.source.engine import SourceEngine
from anonduck.statements.column_types import has_order, is_text
from anonduck.words import counted

if TYPE_CHECKING:
    import numpy as np

    from anonduck.database.progress import Reporter

WIDE = 12
"""More quasi-identifiers than this get advice."""

PROXY = 0.5
"""A column is a proxy of another one if it has at least this share of the other's information."""

ALONE = 0.1
"""A column should be left out if it alone leaves at least this share of the records in classes under k."""

GAINED = 0.01
"""Leaving columns out is called a gain if it brings at least this share of the records into classes of k."""

LISTED = 8
"""At most so many pairs of columns, and columns, are listed in sentences."""

RARE = 0.01
"""Suppression is proposed for a column if at most this share of its records have a value that fewer than k share."""


@dataclass(frozen=True)
class ProxyColumns:
    """A column and another one, ``proxy``, that has ``share`` of its information; ``back`` is the reverse share."""

    column: str
    proxy: str
    share: float
    back: float


@dataclass(frozen=True)
class ColumnAlone:
    """How far a column alone singles records out, and what leaving it out gains.

    ``under_k`` records have a value that fewer than k share, ``unique`` of them one that no other record has.
    ``separation`` is the share of the pairs of records that differ. Without the column, ``under_k_without`` records are
    in classes under k.
    """

    column: str
    under_k: int
    unique: int
    separation: float
    under_k_without: int


@dataclass(frozen=True)
class Advice:
    """What to consider before discovering rules of a wide table.

    Args:
        k: the records that a class needs.
        records: the records that were examined.
        sampled: whether these are a sample.
        under_k: the records in classes under k at the finest levels of all columns.
        columns: each column alone.
        proxies: pairs of columns that share most of their information.
        leave_out: columns that should rather be left out.
        under_k_without: the records in classes under k without these.
        half_without: the fewest columns, by falling separation, without which fewer than half of the records are in
            classes under k.
        rare: records with a value that fewer than k share in one of the columns ``rare_in``.
        rare_in: columns with such values, but in at most one of a hundred records.
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


def advise(
    engine: SourceEngine, columns: Sequence[str], *, k: int, sampled: bool = False, progress: Progress = no_progress
) -> Advice | None:
    """Examine the columns of a source; None if there is no record or no column.

    ``columns`` are the quasi-identifiers, ``k`` the records that a class needs. The source is scanned once, unless its
    sample is in the decision database already (``sampled``).
    """
    ranked = sampled_ranks(engine, columns, sampled=sampled)
    if ranked is None:
        return None
    ranks, partial = ranked
    kinds = {column.name: column for column in engine.columns()}
    return advice_of(
        columns, ranks, [_ordered(kinds[name]) for name in columns], k=k, sampled=partial, progress=progress
    )


def announce_if_wide(columns: Sequence[str], reporter: Reporter) -> None:
    """Announce that advice is available if there are many quasi-identifiers."""
    if len(columns) > WIDE:
        reporter.announce(
            f"{len(columns)} quasi-identifiers are many, and each one more makes classes smaller; "
            "`anonduck advise` says which to leave out"
        )


def _ordered(column: Column) -> bool:
    return has_order(column.type) and not is_text(column.type)


def advice_of(
    names: Sequence[str],
    ranks: Sequence[np.ndarray],
    ordered: Sequence[bool],
    *,
    k: int,
    sampled: bool = False,
    progress: Progress = no_progress,
) -> Advice:
    """The advice on columns given by the ranks of their values, from 1 on; only ``ordered`` columns have an order."""
    codes = codes_of(ranks)
    hashed = random_keys(codes)
    whole = sum(hashed)
    alone = [_alone(*one, whole, k) for one in zip(names, codes, hashed, strict=True)]
    proxies = sorted(_proxies(names, codes, ordered, progress), key=lambda one: (-one.share, one.column, one.proxy))
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
    """The columns to leave out, by falling separation, until fewer than half of the records are in classes under k."""
    rest = sum(hashed.values())
    gone: list[str] = []
    for one in sorted(alone, key=lambda one: (-one.separation, one.column)):
        if 2 * _under(rest, k) < len(hashed[one.column]):
            break
        rest = rest - hashed[one.column]
        gone.append(one.column)
    return tuple(gone)


def _holding_rare(codes: Sequence[np.ndarray], k: int) -> int:
    """The number of records with a value that fewer than k records have, in any of the columns."""
    import numpy as np

    return int(np.logical_or.reduce([(np.bincount(one) < k)[one] for one in codes]).sum()) if codes else 0


def _leave_out(alone: Sequence[ColumnAlone], proxies: Sequence[ProxyColumns], records: int) -> tuple[str, ...]:
    """The columns that alone leave many records under k, and one column of each pair of proxies."""
    by_name = {one.column: one for one in alone}
    chosen = {one.column for one in alone if one.under_k >= ALONE * records}
    for pair in proxies:
        if pair.column in chosen or pair.proxy in chosen:
            continue
        reverse = pair.back >= PROXY and by_name[pair.proxy].separation > by_name[pair.column].separation
        chosen.add(pair.proxy if reverse else pair.column)
    return tuple(sorted(chosen, key=lambda name: (-by_name[name].under_k, -by_name[name].separation, name)))[
        : max(0, len(alone) - 1)
    ]


def _alone(name: str, codes: np.ndarray, hashed: np.ndarray, whole: Any, k: int) -> ColumnAlone:
    import numpy as np

    counts = np.bincount(codes).astype(np.int64)
    return ColumnAlone(
        column=name,
        under_k=int(counts[counts < k].sum()),
        unique=int((counts == 1).sum()),
        separation=separation(counts),
        under_k_without=_under(whole - hashed, k),
    )


def _under(keys: Any, k: int) -> int:
    """The number of records whose combination of values fewer than k records have."""
    import numpy as np

    _, counts = np.unique(keys, return_counts=True)
    return int(counts[counts < k].sum())


def _proxies(
    names: Sequence[str], codes: Sequence[np.ndarray], ordered: Sequence[bool], progress: Progress
) -> Iterator[ProxyColumns]:
    from anonduck.init.shared_information import shared_information

    for one, others, shares in shared_information(codes, ordered, progress):
        for at in (shares.max(axis=0) >= PROXY).nonzero()[0]:
            pair = sorted(((one, shares[0, at]), (int(others[at]), shares[1, at])))
            (column, most), (proxy, least) = pair if pair[0][1] >= pair[1][1] else pair[::-1]
            yield ProxyColumns(names[column], names[proxy], float(most), float(least))
