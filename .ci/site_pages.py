"""What the site has beside docs/: the README as its first page, and the pages at the top of the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
TOP = {"README.md": "index.md", "GLOSSARY.md": "GLOSSARY.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
TOP |= {"CHANGELOG.md": "CHANGELOG.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the top, with links as they are in one folder with those of docs/."""
    for name, page in TOP.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=_of_pages(text)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fences by their language alone: what follows it says why a block does not run. Pages in folders keep links."""
    return _plain_fences(markdown) if "/" in page.file.src_uri else _of_pages(markdown)


def _plain_fences(text: str) -> str:
    return re.sub(r"^(```\w+) not run:.*$", r"\1", text, flags=re.MULTILINE)


def _of_pages(text: str) -> str:
    text = _plain_fences(text)
    return text.replace("](../README.md", "](index.md").replace("](../", "](").replace("](README.md", "](index.md")
