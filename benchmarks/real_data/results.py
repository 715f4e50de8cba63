"""Results as JSON files, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_result(path: Path, result: dict[str, Any]) -> None:
    """Replace a result."""
    fresh = path.with_suffix(".tmp")
    fresh.write_text(json.dumps(result), encoding="utf-8")
    fresh.replace(path)


def read_result(path: Path) -> dict[str, Any]:
    """Read a result back."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result
