"""IP addresses by the first bits of their network, and e-mail addresses by their domain."""

from __future__ import annotations

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.statements.column_types import TEXT, is_text
from anonduck.statements.pipeline.builder_computed import ComputedLabels, ComputedStep
from anonduck.taxonomy.builders.codes import falling

FOUR_BITS = (24, 16, 8)
NOT_AN_ADDRESS = "(not an address)"


def ip_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How networks are computed: IPv4 by 24, 16 and 8 bits and IPv6 by 64, 48 and 32, or by the lengths given.

    Lengths up to 32 are those of IPv4, and an IPv6 network has 16 bits and twice as many; a list with a greater one is
    that of IPv6, and IPv4 follows by the same relation. Raises TaxonomyError unless they fall strictly.
    """
    _refuse_no_text("ip", column_type)
    given = list(FOUR_BITS) if options.ip is True or options.ip is None else options.ip
    falling("ip", given, least=1, most=128)
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
