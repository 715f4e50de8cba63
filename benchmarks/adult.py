"""The Adult table (45,222 records without NULL) with the taxonomies of the paper's authors, ready to be asked."""

from __future__ import annotations

from typing import Any

from real_data.folder import data

COMPLETE = 'workclass IS NOT NULL AND occupation IS NOT NULL AND "native-country" IS NOT NULL'
NAMES = {
    "educationNum": "education-num",
    "martialStatus": "marital-status",
    "capitalGain": "capital-gain",
    "capitalLoss": "capital-loss",
    "HoursPerWeek": "hours-per-week",
    "NativeCountry": "native-country",
}


def project(**settings: Any) -> Any:
    """A project on Adult whose taxonomies are imported and whose frequency set is coded."""
    from anonduck import Project
    from anonduck.frequency.preparation import prepare

    opened = Project(source=str(data() / "adult.csv"), class_="class", where=COMPLETE, **settings)
    opened.import_taxonomies(data() / "authors-taxonomies" / "TaxAdult", format_="blocks", mapping=NAMES)
    prepare(opened.database, opened.config, opened.folder, opened.source, opened.roles, label_k=2)
    return opened
