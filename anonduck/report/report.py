"""The file of the decision report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonduck.database.private_file import write_private
from anonduck.errors import ConfigError
from anonduck.release.made_releases import made_releases
from anonduck.report.contents import gather
from anonduck.report.page import report_page
from anonduck.report.releases_page import releases_page
from anonduck.search.store import read_discovery
from anonduck.workspace import Workspace

TITLE = "anonduck decision report"


def write_report(
    workspace: Workspace,
    path: Path,
    *,
    overwrite: bool = False,
    chosen: Mapping[str, int] | None = None,
    receipt: Mapping[str, Any] | None = None,
    attacks: Path | None = None,
) -> Path:
    """Write the decision report of the stored discovery to an HTML file; returns its path.

    Without a discovery it is the report of the releases that methods made, with ``attacks`` on one of them (a file with
    what ``attack --json`` printed). ``chosen`` are the levels that were released, ``receipt`` is that of the release.
    Raises RuleError where there is neither, ConfigError if the file exists, or for attacks beside a discovery.
    """
    workspace.refuse_protected(path)
    made = [] if read_discovery(workspace.database) else made_releases(workspace)
    if attacks is not None and not made:
        raise ConfigError("attacks are told in the report of releases by methods, or in the certificate of a release")
    if made:
        text = releases_page(workspace, made, TITLE, attacks)
    else:
        text = report_page(gather(workspace, chosen, receipt), TITLE)
    write_private(path, text, overwrite=overwrite)
    return path
