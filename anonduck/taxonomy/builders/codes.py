"""Labels cut from the text of a value: codes, IP addresses and e-mail addresses.

`mask` hides characters from one end, `prefix` keeps the first ones. A mask is aligned at the end that stays: with
``length: 5``, `mask: right` writes 12345 as ``1234*`` and the shorter 123 as ``123**``, so that codes with the same
beginning fall together; with ``pad: "0"``, 2134 is first written 02134. A value longer than ``length`` falls together
with all that begins like it. `ip` keeps the first bits of a network, `email` the domain.
"""

from __future__ import annotations

from itertools import pairwise

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.statements.column_types import TEXT, WHOLE, is_text
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep

MAX_LEVELS = 32
MASK = "*"


def is_code(column_type: str) -> bool:
    """Whether characters of a DuckDB type can be cut: text or integers."""
    return is_text(column_type) or column_type in WHOLE


def mask_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How masked labels are computed, ``step`` characters more a level; raises TaxonomyError without a ``length``."""
    _refuse_no_code("mask", column_type)
    length, step = options.length, options.step or 1
    if length is None or length < 1 or step < 1:
        raise TaxonomyError(
            f"mask needs a length and a step of at least 1; got length {length} and step {step}. The length is the "
            "number of characters of the longest code, such as 5 for 12345"
        )
    levels = -(-length // step)
    if levels > MAX_LEVELS:
        raise TaxonomyError(
            f"mask with length {length} and step {step} makes {levels} levels; allowed are up to {MAX_LEVELS}. "
            f"Take `step: {-(-length // MAX_LEVELS)}`, a smaller `length`, or `prefix` for the first characters"
        )
    name = f"computed_mask_{options.mask}"
    kept = range(length - step, 0, -step)
    return ComputedLabels(
        _text(options.pad, length), tuple((ComputedStep(name, {"kept": n, "length": length}),) for n in kept)
    )


def prefix_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How prefixes are computed, one length a level; raises TaxonomyError unless lengths fall strictly."""
    _refuse_no_code("prefix", column_type)
    lengths = falling("prefix", options.prefix or [], most=None)
    return ComputedLabels(
        (ComputedStep("computed_text"),), tuple((ComputedStep("computed_prefix", {"kept": n}),) for n in lengths)
    )


def falling(key: str, lengths: list[int], *, most: int | None) -> list[int]:
    """The lengths, if they fall strictly between the bounds, so that each level is coarser than the one below."""
    allowed = "1 or more" if most is None else f"1 to {most}"
    in_range = all(length >= 1 and (most is None or length <= most) for length in lengths)
    if not lengths or not in_range or any(below <= above for below, above in pairwise(lengths)):
        raise TaxonomyError(
            f"{key} takes lengths of {allowed} that get smaller from level to level, such as [3, 2, 1]; got {lengths}"
        )
    return lengths


def _text(pad: str | None, length: int) -> tuple[ComputedStep, ...]:
    if pad is None:
        return (ComputedStep("computed_text"),)
    if len(pad) != 1 or pad == MASK:
        raise TaxonomyError(
            f'pad is one character other than {MASK} that stands in front of shorter values, such as "0"; it has '
            f"{len(pad)} characters" + (", the mask itself" if pad == MASK else "")
        )
    return (ComputedStep("computed_text_filled", {"length": length, "pad": pad}),)


def _refuse_no_code(key: str, column_type: str) -> None:
    if not is_code(column_type):
        raise TaxonomyError(
            f"{key} cuts characters of text or integers; the column is {column_type}. Read it as text with "
            f"`types: {{column: {TEXT}}}`, or use `intervals` for numbers and `dates` for dates"
        )


FOUR_BITS = (24, 16, 8)
NOT_AN_ADDRESS = "(not an address)"


def ip_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How networks are computed: IPv4 by 24, 16 and 8 bits and IPv6 by 64, 48 and 32, or by the lengths given.

    Lengths up to 32 are those of IPv4, and an IPv6 network has 16 bits and twice as many; a list with a greater one is
    that of IPv6, and IPv4 follows by the same relation. Raises TaxonomyError unless they fall strictly.
    """
    _refuse_no_text("ip", column_type)
    given = list(FOUR_BITS) if options.ip is True or options.ip is None else options.ip
    falling("ip", given, most=128)
    levels = tuple(
        (
            ComputedStep("computed_ip_networks", {"four_bits": four, "six_bits": six}),
            ComputedStep("computed_ip_groups", {"four_bits": four, "six_bits": six}),
            ComputedStep("computed_ip_zeros"),
            ComputedStep("computed_ip_level"),
        )
        for four, six in network_bits(given)
    )
    return ComputedLabels((ComputedStep("computed_ip"),), levels, outside=NOT_AN_ADDRESS)


def network_bits(lengths: list[int]) -> list[tuple[int, int]]:
    """The bits of IPv4 and of IPv6 networks, a pair per level.

    >>> network_bits([24, 16, 8])
    [(24, 64), (16, 48), (8, 32)]
    >>> network_bits([64, 56, 32])
    [(24, 64), (20, 56), (8, 32)]
    """
    if max(lengths) <= 32:
        return [(bits, 16 + 2 * bits) for bits in lengths]
    return [(min(max((bits - 16) // 2, 0), 32), bits) for bits in lengths]


def email_labels(_: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How mail domains are computed: address, domain, top-level domain.

    The top-level domain is what follows the last dot; that ``co.uk`` is one public suffix is not known here.
    """
    _refuse_no_text("email", column_type)
    levels = tuple((ComputedStep("computed_part", columns={"part": part}),) for part in ("domain", "top"))
    return ComputedLabels((ComputedStep("computed_email"),), levels, outside=NOT_AN_ADDRESS)


def _refuse_no_text(key: str, column_type: str) -> None:
    if not is_text(column_type):
        raise TaxonomyError(
            f"{key} reads addresses from text; the column is {column_type}. Read it as text with "
            f"`types: {{column: {TEXT}}}`, or name another builder"
        )
