"""Where the evaluation tables are, which do not ship with the project."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data() -> Path:
    """The folder of the tables: ANONDUCK_DATA, or ../shared/data beside the checkout, as for the tests.

    Ends the process with a message where there is none.
    """
    folder = Path(os.environ.get("ANONDUCK_DATA") or Path(__file__).parents[3] / "shared" / "data")
    if not (folder / "adult.csv").is_file():
        sys.exit(f"no adult.csv in {folder}; set ANONDUCK_DATA to the folder that holds the evaluation tables")
    return folder
