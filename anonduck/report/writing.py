"""Writing the report of a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from anonduck.private_file import write_private
from anonduck.report.gathering import gather
from anonduck.report.page import report_page

if TYPE_CHECKING:
    from anonduck.project import Project

TITLE = "anonduck decision report"


def write_report(
    project: Project, path: Path, *, overwrite: bool = False, chosen: Mapping[str, int] | None = None
) -> Path:
    """Write the decision report of the stored discovery to an HTML file; returns its path.

    ``chosen`` are the levels that were released. Raises RuleError without a discovery, ConfigError if the file exists.
    """
    project.refuse_protected(path)
    write_private(path, report_page(gather(project, chosen), TITLE), overwrite=overwrite)
    return path
