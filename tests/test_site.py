"""The documentation as a site: every page is in its navigation, and it is built with no link that leads nowhere."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(nav):
    for entry in nav:
        for held in entry.values():
            if isinstance(held, str):
                yield held
            else:
                yield from pages(held)


def test_every_page_is_in_the_navigation_once():
    named = list(pages(CONFIG["nav"]))
    assert len(named) == len(set(named))
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    top = {page.name for page in ROOT.glob("*.md")} - {"README.md"} | {"index.md"}
    assert set(named) == written | top


def test_it_can_be_searched_and_asks_nobody_else_for_fonts():
    assert "search" in CONFIG["plugins"]
    assert CONFIG["theme"]["font"] is False


def test_checks_build_it_strictly():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^check:.*\bsite\b", makefile, flags=re.MULTILINE)
    assert "mkdocs build --quiet --strict" in makefile
    assert "-e '.[dev,docs]'" in (ROOT / ".ci" / "environments").read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_is_built(tmp_path):
    mkdocs = shutil.which("mkdocs")
    if mkdocs is None:
        pytest.skip("mkdocs is not installed: pip install -e '.[docs]'")
    command = [mkdocs, "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="quickstart.html"' in first
    assert "not run:" not in first
    index = (tmp_path / "site" / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "releases.html#the-data-dictionary" in index
