"""Three records of the demo's export, and the same three as its release shows them.

A release tells no record from another of its class; whoever has the export and the recoding, as here, can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.methods.cut_tree import CutTree
from anonduck.statements.pipeline.builder_release import NodeColumn
from anonduck.statements.pipeline.column_names import value_column

if TYPE_CHECKING:
    from anonduck.database.connection import Database
    from anonduck.release.plan import ReleasePlan
    from anonduck.release.recoder import Recoder
    from anonduck.run import Run
    from anonduck.workspace import Workspace

HOW_MANY = 3


@dataclass(frozen=True)
class ShownRecord:
    """A record of the export, and what the release shows of it, both by column."""

    export: Mapping[str, Any]
    release: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Both, as ``anonduck demo --json`` prints them."""
        return {"export": dict(self.export), "release": dict(self.release)}


def shown_records(workspace: Workspace, run: Run, export: Path, release: Path) -> tuple[ShownRecord, ...]:
    """The first records of the export as the release of a run shows them; none for a kind of recoding that is not
    offered by default."""
    import pyarrow.parquet as pq

    records = pq.read_table(export).slice(0, HOW_MANY).to_pylist()
    columns = pq.read_schema(release).names
    if run.levels:
        shown = _by_rule(workspace, run.levels, records)
    elif isinstance(run.release.recoding, CutTree):
        shown = _in_classes(workspace, run, records)
    else:
        return ()
    return tuple(
        ShownRecord(record, {name: {**record, **one}[name] for name in columns})
        for record, one in zip(records, shown, strict=True)
    )


def _in_classes(workspace: Workspace, run: Run, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the classes of records show, by a release like that of the run, of which nothing is written."""
    from anonduck.release.candidate_release import release_candidate
    from anonduck.release.plan import ReleaseSettings
    from anonduck.release.recoded_columns import assigned_combinations, combinations

    shown: dict[tuple[str | None, ...], dict[str, Any]] = {}
    names = list(workspace.roles.quasi_identifiers)

    def read(database: Database, plan: ReleasePlan[Recoder], _left_out: int) -> None:
        nodes = [column for column in plan.columns if isinstance(column, NodeColumn)]
        database.run(assigned_combinations(names, value_column))
        for row in database.rows(combinations(names, nodes)):
            of_nodes = zip((one.name for one in nodes), row[len(names) :], strict=True)
            shown[tuple(row[: len(names)])] = dict(of_nodes)

    assert run.candidate is not None
    settings = ReleaseSettings(dry_run=True, reader=read, kept=run.release.kept)
    release_candidate(workspace, run.candidate, None, settings, run.release.recoding)
    of = [shown[tuple(None if one[name] is None else str(one[name]) for name in names)] for one in records]
    return [
        {name: one[name] if text == str(one[name]) else text for name, text in shows.items()}
        for one, shows in zip(records, of, strict=True)
    ]


def _by_rule(workspace: Workspace, levels: Mapping[str, int], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each value is at the levels of a rule."""
    from anonduck.release.mapping import read_mapping

    rows = read_mapping(workspace, levels).itertuples(index=False)
    shown = {(row.column_name, row.old_value): row.new_value for row in rows}
    coarser = [name for name, level in levels.items() if level]
    return [{name: shown.get((name, str(record[name]))) for name in coarser} for record in records]
