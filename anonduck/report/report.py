"""The file of the decision report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonduck.database.private_file import write_private
from anonduck.report.contents import gather
from anonduck.report.page import report_page
from anonduck.workspace import Workspace

TITLE = "anonduck decision report"


def write_report(
    workspace: Workspace, path: Path, *, overwrite: bool = False, chosen: Mapping[str, int] | None = None
) -> Path:
    """Write the decision report of the stored discovery to an HTML file; returns its path.

    ``chosen`` are the levels that were released. Raises RuleError without a discovery, ConfigError if the file exists.
    """
    workspace.refuse_protected(path)
    write_private(path, report_page(gather(workspace, chosen), TITLE), overwrite=overwrite)
    return path
