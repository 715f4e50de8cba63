"""What pyproject.toml cannot say: the README's links, which an index page has no files for, lead to the repository."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent


def absolute_links(text: str, source: str) -> str:
    """Markdown whose links to files lead to those of the repository at ``source``, on its main branch."""
    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", rf"]({source}/blob/main/\1)", text)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    setup(
        long_description=absolute_links(readme, project["urls"]["Source"]),
        long_description_content_type="text/markdown",
    )
