"""SQL that is written for other engines, held against the golden files of tests/golden.

After a change that is meant, write the golden files anew and read the difference before committing it:

    ANONDUCK_GOLDEN=write pytest tests/release/test_engine_texts.py tests/statements/test_statements.py -k golden
"""

import os
from pathlib import Path

GOLDEN = Path(__file__).with_name("golden")


def check_golden(name, text):
    """Hold a text against its golden file, or write that."""
    path = GOLDEN / f"{name}.sql"
    if os.environ.get("ANONDUCK_GOLDEN") == "write":
        path.write_text(f"{text}\n", encoding="utf-8")
    assert f"{text}\n" == path.read_text(encoding="utf-8")
