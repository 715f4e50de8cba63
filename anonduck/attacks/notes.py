"""What to keep in mind about the tables of an attack, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anonduck.attacks.knowledge import PlacedColumns

UNEQUAL = 1.25  # a control that is so much larger or smaller than the original makes single records rarer or commoner


def size_notes(records: Mapping[str, int], placed: PlacedColumns) -> Iterator[str]:
    """What makes a comparison of the groups less sure: their sizes, values that no label covers."""
    if records["original"] != records["release"]:
        yield (
            f"the release has {records['release']:,} records and the original {records['original']:,}: the original "
            "should hold the people of the release and nobody else, except suppressed records"
        )
    held = records.get("control")
    if held is None:
        yield "there is no control group: name records of people who are not in the release with `control=FILE`"
    elif not 1 / UNEQUAL <= held / records["original"] <= UNEQUAL:
        yield (
            f"the control group has {held:,} records and the original {records['original']:,}: how often a "
            "combination fits just one depends on how many there are; use groups of the same size"
        )
    for name, share in placed.unplaced.items():
        yield (
            f"{share:.0%} of the control records have a value of {name!r} that no released label covers, so that "
            "guesses about them fail; a taxonomy that knows all values would give a smaller excess"
        )
