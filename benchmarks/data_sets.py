"""The evaluation tables, which do not ship with the project: where they lie, and the file and the class of each."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FILES = {
    "adult": ("adult.csv", "class"),
    "bank": ("bank-full.csv", "y"),
    "electricity": ("electricity.csv", "class"),
    "cmc": ("cmc.csv", "contraceptive_method"),
    "german": ("german_credit.csv", "class"),
    "mammographic": ("mammographic_masses.csv", "severity"),
    "breast-cancer": ("breast_cancer_wisconsin.csv", "class"),
}


def data() -> Path:
    """The folder of the tables: ANONDUCK_DATA, or ../shared/data beside the checkout, as for the tests.

    Ends the process with a message where there is none.
    """
    folder = Path(os.environ.get("ANONDUCK_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "adult.csv").is_file():
        sys.exit(f"no adult.csv in {folder}; set ANONDUCK_DATA to the folder that holds the evaluation tables")
    return folder
