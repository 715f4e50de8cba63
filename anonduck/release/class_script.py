"""The release of a method that recodes by classes or by cuts as a text of SQL: what is shown of what.

Classes need one list, of combinations, and cuts one for each column, of its values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.methods.recodings import Recoding
from anonduck.methods.registry import method_named
from anonduck.release.by_recoding import Origin, release_recoding
from anonduck.release.class_recoder import ClassRecoder
from anonduck.release.cut_recoder import CutRecoder
from anonduck.release.node_recoder import NodeRecoder
from anonduck.release.plan import ReleasePlan, ReleaseSettings
from anonduck.release.recoder import Recoder
from anonduck.release.script_text import ReleaseText, TextOptions, write_text
from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline import builder_cuts, builder_methods
from anonduck.statements.pipeline.builder_classes import ClassColumn
from anonduck.statements.pipeline.builder_cuts import CutColumn
from anonduck.statements.pipeline.select_parts import Listed, ListedCombinations, ListedValues
from anonduck.version import __version__
from anonduck.workspace import Workspace


def class_script(
    workspace: Workspace,
    recoding: Recoding | None,
    origin: Origin,
    options: TextOptions,
    settings: ReleaseSettings,
) -> str:
    """The release of a method as a standalone SQL script in a dialect: of a recoding, or for None of one found now.

    Raises ConfigError for a method that finds a rule or does not generalize values alone, and where records would have
    to be left out.
    """
    name = origin.method or ""
    kind = method_named(name).recoding
    if kind not in {"levels", "classes", "cuts"}:
        raise ConfigError(
            f"a release by {name} has no script: what a record shows depends on other records. Write it with "
            "`project.anonymize(METHOD, FILE)`"
        )
    if kind == "levels":
        raise ConfigError(
            f"{name} finds a rule, and has no script of its own. Anonymize by it, and name the rule of the receipt"
        )
    found: list[str] = []

    def read(database: Database, plan: ReleasePlan[Recoder], suppressed: int) -> None:
        if suppressed:
            raise ConfigError(
                f"a script cannot leave out the {suppressed:,} records of classes that fail "
                f"{plan.requirement.text}. Write "
                "the release with `project.anonymize(METHOD, FILE)`, or set `suppression: 0`"
            )
        assert isinstance(plan.recoding, (ClassRecoder, CutRecoder))
        found.append(write_text(workspace, _text(database, name, plan.recoding), options))

    release_recoding(workspace, recoding, origin, None, replace(settings, dry_run=True, reader=read))
    return found[0]


def _text(database: Database, name: str, recoding: ClassRecoder | CutRecoder) -> ReleaseText:
    by_classes = isinstance(recoding, ClassRecoder)
    listed: list[Listed] = (
        [_combinations(database, recoding)] if isinstance(recoding, ClassRecoder) else [*_values(database, recoding)]
    )
    known = "Records whose quasi-identifiers are together in no record" if by_classes else "Records with a value"
    made = "that it was made of" if by_classes else "that no record had which it was made of"
    lines = [
        f"anonduck {__version__}: the release of {name}",
        f"{known} {made} stop it.",
        "It gives one row for each record.",
    ]
    return ReleaseText(recoding.columns, listed, lines)


def _combinations(database: Database, recoding: ClassRecoder) -> ListedCombinations:
    """What each combination of quasi-identifiers shows."""
    source, names = recoding.inputs.source, tuple(recoding.inputs.roles.quasi_identifiers)
    shown = [column for column in recoding.columns if isinstance(column, ClassColumn)]
    database.run(builder_methods.assigned_combinations(names, recoding.assignment.prepared))
    rows = database.rows(builder_methods.combinations(names, shown))
    kinds = tuple(source.column(one).type for one in names)
    return ListedCombinations(names, kinds, tuple((one.name, one.values) for one in shown), rows)


def _values(database: Database, recoding: NodeRecoder[Any]) -> Iterator[ListedValues]:
    """What each value of a column shows, for each column that is released."""
    for column in recoding.columns:
        if isinstance(column, CutColumn):
            rows = tuple(database.rows(builder_cuts.cut_values(column)))
            kind = recoding.inputs.source.column(column.name).type
            shown = kind if column.values else TEXT
            yield ListedValues(column.name, kind, rows, shown, words="a value that the release was not made of")
