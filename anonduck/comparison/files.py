"""The files of a comparison: JSON, CSV, and its charts as SVG and PNG."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anonduck.comparison.charts import SCALE, charts
from anonduck.comparison.comparison import Comparison
from anonduck.database.private_file import whole_file, write_private
from anonduck.errors import ConfigError

DOCUMENT, TABLE = "compare.json", "compare.csv"


def check_folder(folder: Path, *, overwrite: bool) -> None:
    """Raise ConfigError if the files cannot go there, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; name a folder for the comparison")
    if (folder / DOCUMENT).exists() and not overwrite:
        raise ConfigError(f"{folder / DOCUMENT} exists; `overwrite=True` replaces it")


def write_comparison(
    comparison: Comparison, folder: Path, *, overwrite: bool, announce: Callable[[str], None]
) -> list[Path]:
    """Write all files into a folder, which is made; returns their paths. Raises ConfigError where one cannot be."""
    check_folder(folder, overwrite=overwrite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}; name another folder") from None
    text = json.dumps(comparison.as_json(), indent=2, ensure_ascii=False) + "\n"
    write_private(folder / DOCUMENT, text, overwrite=overwrite)
    write_private(folder / TABLE, comparison.to_frame().to_csv(index=False), overwrite=True)
    return [folder / DOCUMENT, folder / TABLE, *_draw(comparison, folder, announce)]


def _draw(comparison: Comparison, folder: Path, announce: Callable[[str], None]) -> list[Path]:
    try:
        import vl_convert
    except ImportError:
        announce("no charts are drawn, for which vl-convert-python is needed: pip install 'anonduck[charts]'")
        return []
    written = []
    for name, chart in charts(comparison).items():
        pictures: dict[str, Any] = {
            "svg": vl_convert.vegalite_to_svg(chart).encode(),
            "png": vl_convert.vegalite_to_png(chart, scale=SCALE),
        }
        for suffix, picture in pictures.items():
            path = folder / f"{name}.{suffix}"
            with whole_file(path, ConfigError) as temporary:
                temporary.write_bytes(picture)
            written.append(path)
    return written
