"""The parts of the fuzzer of releases; texts and the privacy models in plain Python are those of the tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests"))
