"""What the ready-made taxonomies are: how their leaves are written, their levels, where they come from."""

from __future__ import annotations

from dataclasses import dataclass

ANY_LENGTH = 10_000


@dataclass(frozen=True)
class LeafForm:
    """One way of writing the leaves: by texts of a list (``texts``) or by a code that ``keys`` reads from the value.

    ``texts`` are columns of the CSV file, the first of which is the list of leaves; several texts of one field stand
    between ``|``. ``levels`` are columns too; a whole number is a label of that many first characters of the key, and
    ``column|3`` a label of the column, else of the key. Codes of more than ``longest`` characters are another form's.
    """

    name: str
    levels: tuple[str, ...]
    texts: tuple[str, ...] = ()
    keys: str = "shipped_keys_text"
    longest: int = ANY_LENGTH


@dataclass(frozen=True)
class ShippedTaxonomy:
    """A ready-made taxonomy: its name and file, the forms of its leaves, what it covers, its standard and vintage."""

    name: str
    forms: tuple[LeafForm, ...]
    leaves: str
    origin: str

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the levels of the form with most of them, from the finest to the root."""
        longest = max(self.forms, key=lambda form: len(form.levels))
        return tuple(_LEVEL_NAMES.get((self.name, level), level.replace("_", " ")) for level in longest.levels)

    def as_json(self) -> dict[str, object]:
        """The taxonomy as ``anonduck taxonomy list --json`` prints it."""
        return {
            "name": self.name,
            "leaf_forms": [form.name for form in self.forms],
            "levels": list(self.levels),
            "leaves": self.leaves,
            "origin": self.origin,
        }


_LEVEL_NAMES = {("us_zip", "small_area|3"): "zip3", ("us_zip", "small_area|1"): "zip1", ("diagnosis", "3"): "category"}

_M49 = ("intermediate_region", "sub_region", "region", "world")
_CENSUS = ("census_division", "census_region", "country")
_ISCED = ("broad", "root")

SHIPPED = (
    ShippedTaxonomy(
        "age",
        (LeafForm("years", ("five_years", "ten_years", "twenty_years", "root"), keys="shipped_keys_age"),),
        "ages in years, 0 to 150",
        "equal widths; 90 and over pooled as in 45 CFR 164.514(b)(2)(i)(C)",
    ),
    ShippedTaxonomy(
        "country",
        (
            LeafForm("alpha-2", _M49, ("alpha_2",)),
            LeafForm("alpha-3", _M49, ("alpha_3",)),
            LeafForm("names", _M49, ("name", "other_names")),
        ),
        "249 countries: alpha-2, alpha-3 or English name",
        "ISO 3166-1 (as of 2024), UN M49",
    ),
    ShippedTaxonomy(
        "diagnosis",
        (
            LeafForm("categories", ("block", "chapter", "root"), keys="shipped_keys_icd10", longest=3),
            LeafForm("codes", ("3", "block", "chapter", "root"), keys="shipped_keys_icd10"),
        ),
        "codes of 263 blocks, with or without a subcategory",
        "ICD-10, World Health Organization, version of 2019",
    ),
    ShippedTaxonomy(
        "education",
        (
            LeafForm("levels", _ISCED, ("isced",)),
            LeafForm("Eurostat codes", _ISCED, ("eurostat",)),
            LeafForm("titles", _ISCED, ("title", "other_names")),
            LeafForm("US attainment", ("isced_level", *_ISCED), ("us_attainment",)),
        ),
        "9 levels: number, Eurostat code, title; or US attainment",
        "ISCED 2011, UNESCO; broad levels as Eurostat's",
    ),
    ShippedTaxonomy(
        "industry",
        (
            LeafForm("divisions", ("section", "root"), keys="shipped_keys_nace2", longest=2),
            LeafForm("codes", ("division", "section", "root"), keys="shipped_keys_nace2"),
        ),
        "codes of 88 divisions, with or without dots",
        "NACE Rev. 2 (Regulation (EC) No 1893/2006)",
    ),
    ShippedTaxonomy(
        "month",
        (
            LeafForm("numbers", ("quarter", "half_year", "root"), ("number",)),
            LeafForm("names", ("quarter", "half_year", "root"), ("name", "abbreviation")),
        ),
        "12 months: number, English name or abbreviation",
        "Gregorian calendar",
    ),
    ShippedTaxonomy(
        "occupation",
        (
            LeafForm("groups", ("major_group", "root"), keys="shipped_keys_isco08", longest=2),
            LeafForm("codes", ("sub_major_group", "major_group", "root"), keys="shipped_keys_isco08"),
            LeafForm("titles", ("major_group", "root"), ("title",)),
        ),
        "codes of 43 sub-major groups, 1 to 4 digits; or titles",
        "ISCO-08, International Labour Organization",
    ),
    ShippedTaxonomy(
        "us_state",
        (
            LeafForm("USPS codes", _CENSUS, ("usps",)),
            LeafForm("names", _CENSUS, ("name", "other_names")),
        ),
        "50 states, DC, 5 territories: USPS code or name",
        "US Census Bureau regions and divisions",
    ),
    ShippedTaxonomy(
        "us_zip",
        (LeafForm("ZIP codes", ("small_area|3", "small_area|1", "root"), keys="shipped_keys_zip"),),
        "any ZIP code of 5 or 9 digits",
        "first 3 digits; 17 areas of up to 20,000 people in the 2000 census as 000 (45 CFR 164.514(b)(2)(i)(B))",
    ),
    ShippedTaxonomy(
        "weekday",
        (
            LeafForm("numbers", ("part_of_week", "root"), ("number",)),
            LeafForm("names", ("part_of_week", "root"), ("name", "abbreviation")),
        ),
        "7 days: number (1 is Monday), English name or abbreviation",
        "ISO 8601 numbers",
    ),
)
