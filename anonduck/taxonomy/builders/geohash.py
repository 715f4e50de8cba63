"""Positions written as ``latitude,longitude`` in degrees, by the cells of the geohash."""

from __future__ import annotations

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.errors import TaxonomyError
from anonduck.statements.column_types import is_text
from anonduck.taxonomy.builders.codes import falling
from anonduck.taxonomy.computed_labels import ComputedLabels, ComputedStep

LENGTHS = (7, 6, 5, 4, 3, 2, 1)
LONGEST = 12
NOT_A_POSITION = "(not a position)"


def geohash_labels(options: TaxonomyOptions, column_type: str) -> ComputedLabels:
    """How geohashes are computed, of 7 characters (about 150 m) down to 1 (a continent), or of the lengths given."""
    if not is_text(column_type):
        raise TaxonomyError(
            f"geohash reads positions from text such as 45.07,7.69; the column is {column_type}. Make one text column "
            "of latitude and longitude in the export, or use `width` on each"
        )
    given = list(LENGTHS) if options.geohash is True or options.geohash is None else options.geohash
    lengths = falling("geohash", given, most=LONGEST)
    levels = tuple((ComputedStep("computed_geohash_level", {"kept": length}),) for length in lengths)
    return ComputedLabels((ComputedStep("computed_geohash"),), levels, outside=NOT_A_POSITION)
