"""The Adult table (45,222 records without NULL) with the taxonomies of the paper's authors, ready to be asked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

COMPLETE = 'workclass IS NOT NULL AND occupation IS NOT NULL AND "native-country" IS NOT NULL'
NAMES = {
    "educationNum": "education-num",
    "martialStatus": "marital-status",
    "capitalGain": "capital-gain",
    "capitalLoss": "capital-loss",
    "HoursPerWeek": "hours-per-week",
    "NativeCountry": "native-country",
}


def data() -> Path:
    """The folder of the real tables: ANONDUCK_DATA, or ../shared/data beside the checkout."""
    folder = Path(os.environ.get("ANONDUCK_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "adult.csv").is_file():
        sys.exit(f"no adult.csv in {folder}; set ANONDUCK_DATA to the folder that holds it")
    return folder


def project(**settings: Any) -> Any:
    """A project on Adult whose taxonomies are imported and whose frequency set is coded."""
    from anonduck import Project
    from anonduck.frequency.preparation import prepare

    opened = Project(source=str(data() / "adult.csv"), class_="class", where=COMPLETE, **settings)
    opened.import_taxonomies(data() / "authors-taxonomies" / "TaxAdult", format_="blocks", mapping=NAMES)
    prepare(opened.database, opened.config, opened.folder, opened.source, opened.roles, label_k=2)
    return opened
