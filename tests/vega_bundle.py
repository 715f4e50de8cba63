"""The JavaScript that charts are drawn with, as vl-convert-python gives it out: python tests/vega_bundle.py --write."""

import sys
from pathlib import Path

MADE_BY = "1.9.0"
BUNDLE = Path(__file__).parents[1] / "anonduck" / "report" / "web" / "vega.js"


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script."""
    import vl_convert

    return vl_convert.javascript_bundle()


if __name__ == "__main__" and "--write" in sys.argv:
    BUNDLE.write_text(bundle(), encoding="utf-8")
