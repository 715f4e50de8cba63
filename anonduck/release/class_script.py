"""The release of a method that recodes by classes or by cuts as a text of SQL: what is shown of what.

Classes need one list, of combinations, and cuts one for each column, of its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from anonduck.database.connection import Database
from anonduck.errors import ConfigError
from anonduck.methods.registry import method_named
from anonduck.release.class_recoding import ClassRecoding
from anonduck.release.cut_recoding import CutRecoding
from anonduck.release.found_classes import anonymize
from anonduck.release.node_recoding import NodeRecoding
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoding import Recoding
from anonduck.release.script_text import ReleaseText, TextOptions, passing_of, write_text
from anonduck.statements.column_types import TEXT
from anonduck.statements.pipeline import builder_cuts, builder_methods
from anonduck.statements.pipeline.builder_classes import ClassColumn
from anonduck.statements.pipeline.builder_cuts import CutColumn
from anonduck.statements.pipeline.select_parts import Listed, ListedCombinations, ListedValues
from anonduck.version import __version__
from anonduck.workspace import Workspace


def class_script(
    workspace: Workspace,
    name: str,
    options: TextOptions | None = None,
    *,
    unmapped: str | None = None,
    requirement: Mapping[str, Any] | None = None,
) -> str:
    """The release of a method as a standalone SQL script in a dialect, with the options that the config gives it.

    Raises ConfigError for a method that finds a rule or does not generalize values alone, and where records would have
    to be left out.
    """
    options = options or TextOptions()
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

    def read(database: Database, plan: ReleasePlan[Recoding], suppressed: int) -> None:
        if suppressed:
            raise ConfigError(
                f"a script cannot leave out the {suppressed:,} records of classes that fail "
                f"{plan.requirement.text}. Write "
                "the release with `project.anonymize(METHOD, FILE)`, or set `suppression: 0`"
            )
        assert isinstance(plan.recoding, (ClassRecoding, CutRecoding))
        passing = passing_of(plan.requirement, plan.requirement.sensitive)
        found.append(write_text(workspace, replace(_text(database, name, plan.recoding), passing=passing), options))

    anonymize(workspace, name, None, dry_run=True, requirement=requirement, unmapped=unmapped, reading=read)
    return found[0]


def _text(database: Database, name: str, recoding: ClassRecoding | CutRecoding) -> ReleaseText:
    by_classes = isinstance(recoding, ClassRecoding)
    listed: list[Listed] = (
        [_combinations(database, recoding)] if isinstance(recoding, ClassRecoding) else [*_values(database, recoding)]
    )
    known = "Records whose quasi-identifiers are together in no record" if by_classes else "Records with a value"
    made = "that it was made of" if by_classes else "that no record had which it was made of"
    lines = [
        f"anonduck {__version__}: the release of {name}",
        f"{known} {made} stop it.",
        "It gives one row for each record.",
    ]
    return ReleaseText(recoding.columns, listed, lines)


def _combinations(database: Database, recoding: ClassRecoding) -> ListedCombinations:
    """What each combination of quasi-identifiers shows."""
    source, names = recoding.ground.source, tuple(recoding.ground.roles.quasi_identifiers)
    shown = [column for column in recoding.columns if isinstance(column, ClassColumn)]
    database.run(builder_methods.assigned_combinations(names, recoding.assignment.prepared))
    rows = database.rows(builder_methods.combinations(names, shown))
    kinds = tuple(source.column(one).type for one in names)
    return ListedCombinations(names, kinds, tuple((one.name, one.values) for one in shown), rows)


def _values(database: Database, recoding: NodeRecoding[Any]) -> Iterator[ListedValues]:
    """What each value of a column shows, for each column that is released."""
    for column in recoding.columns:
        if isinstance(column, CutColumn):
            rows = tuple(database.rows(builder_cuts.cut_values(column)))
            kind = recoding.ground.source.column(column.name).type
            shown = kind if column.values else TEXT
            yield ListedValues(column.name, kind, rows, shown, words="a value that the release was not made of")
