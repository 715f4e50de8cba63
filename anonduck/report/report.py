"""The file of the decision report; without a discovery, a page of the releases by methods, with their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonduck.database.private_file import write_private
from anonduck.errors import ConfigError
from anonduck.release.delta_target import named_target
from anonduck.release.made_releases import MadeRelease, made_releases
from anonduck.report.certificate_sections import shown_section
from anonduck.report.certified_utility import in_scale, shown
from anonduck.report.contents import comparison_of, gather, table_of
from anonduck.report.described import Beside, of_release
from anonduck.report.evidence import Evidence, read_attacks, read_evidence
from anonduck.report.page import Markup, document_page, element, report_page, table, together
from anonduck.report.release_section import release_section
from anonduck.rules.measure_names import UTILITY
from anonduck.search.store import read_discovery
from anonduck.words import __version__
from anonduck.workspace import Workspace

TITLE = "anonduck decision report"
ABOUT = (
    "No rules were discovered, so that there is no frontier to compare these releases with. This page shows numbers "
    "about groups of records, and labels. It contains no record."
)
ALONE = "No rules were searched, so that this release is compared with none. This page contains no record."


def write_report(
    workspace: Workspace,
    path: Path,
    *,
    overwrite: bool = False,
    beside: Beside | None = None,
    attacks: Path | None = None,
) -> Path:
    """Write the decision report of the stored discovery to an HTML file; returns its path.

    What it says of one release is of that which it stands ``beside``. Without a discovery it reports that release, or
    those that methods made, with ``attacks`` on one of them (a file with the output of ``attack --json``).

    Raises:
        RuleError: there is neither a discovery nor a release.
        ConfigError: the file exists, or attacks are given although there is a discovery.
    """
    workspace.refuse_protected(path)
    found = read_discovery(workspace.database) is not None
    made = [] if found or beside is not None else made_releases(workspace)
    if attacks is not None and not made:
        raise ConfigError("attacks are shown in the report of releases by methods, or in the certificate of a release")
    if made:
        text = releases_page(workspace, made, TITLE, attacks)
    elif found or beside is None:
        text = decision_page(gather(workspace, beside=beside), TITLE)
    else:
        text = release_page(workspace, beside)
    write_private(path, text, overwrite=overwrite)
    return path


def decision_page(document: Mapping[str, Any], title: str) -> str:
    """The page of a document as HTML: the offer, the release or what is recommended, and the rules."""
    found = document["release"]
    k, records = document["requirement"]["k"], document["records"]
    section = together([]) if found is None else release_section(found, records, k)
    return report_page(document, title, section)


def release_page(workspace: Workspace, beside: Beside) -> str:
    """The page beside a release for which no rules were searched, as HTML."""
    made, k = beside.release, workspace.config.requirement.k
    section = release_section(of_release(workspace, beside, None), made.rows + made.suppressed, k)
    shown = element("h2", "What each column shows"), *shown_section(made.receipt, made.dictionary)
    parts = [element("section", section), element("section", *shown)]
    return document_page(
        "Report on a release",
        title=TITLE,
        head=element("p", ALONE),
        sections=together(parts),
        foot=element("p", f"Made by anonduck {__version__}."),
    )


def releases_page(workspace: Workspace, made: Sequence[MadeRelease], title: str, attacks: Path | None = None) -> str:
    """The page of these releases as HTML; ``attacks`` is a file with attacks on one of them, as JSON.

    Raises ReleaseError for a release that was changed, ConfigError for attacks on none of them.
    """
    about = None if attacks is None else _attacked(attacks, made)
    parts = [_release(workspace, one, attacks if one.file == about else None) for one in made]
    return document_page(
        "Report on releases by methods",
        title=title,
        head=element("p", ABOUT),
        sections=together([_compared(made), *_last_comparison(workspace), *parts]),
        foot=element("p", f"Made by anonduck {__version__} from the owner's files beside the releases."),
    )


def _attacked(attacks: Path, made: Sequence[MadeRelease]) -> str:
    """The file of the release that the attacks are about."""
    _, name = read_attacks(attacks)
    for one in made:
        if Path(one.file.partition("::")[0]).name == name:
            return one.file
    raise ConfigError(f"{attacks} is about attacks on {name}, which is none of the releases of this report")


def _compared(made: Sequence[MadeRelease]) -> Markup:
    """All releases in one table, by falling k."""
    measures = list(dict.fromkeys(name for one in made for name in one.utility.get("measures", {})))
    gained = any(one.value("information_gain") is not None for one in made)
    keys = [*(["information_gain"] if gained else []), *measures]
    rows = [
        [
            Path(one.file).name,
            one.receipt["method"]["name"],
            f"{one.receipt['k']:,}",
            *[_figure(one, key) for key in keys],
        ]
        for one in made
    ]
    heads = [key.replace("_", " ") for key in keys]
    return element("section", element("h2", "Releases"), table(["release", "method", "k", *heads], rows))


def _figure(one: MadeRelease, key: str) -> str:
    value = one.value(key)
    return in_scale(key, value, one.receipt["rows"] + one.receipt["suppressed"]) if key in UTILITY else shown(value)


def _last_comparison(workspace: Workspace) -> Iterator[Markup]:
    """The last comparison, if there is one."""
    compared = comparison_of(workspace)
    if compared is not None:
        words = " ".join(f"{name}: {said}." for name, said in compared["protocols"].items())
        notes = [element("p", note) for note in compared["notes"]]
        shown_rows = table(*table_of(compared))
        yield element("section", element("h2", "Methods compared"), element("p", words), shown_rows, *notes)


def _release(workspace: Workspace, one: MadeRelease, attacks: Path | None) -> Markup:
    from anonduck.report.certificate import evidence_sections

    folder = one.receipt_path.parent
    evidence: Evidence = read_evidence(named_target(one.file, folder, folder), attacks)
    return element("section", element("h2", Path(one.file).name), *evidence_sections(workspace, evidence, owner=True))
