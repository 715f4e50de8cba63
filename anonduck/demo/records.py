"""Three records of the demo's export, and the same three as its release shows them.

A release tells no record from another of its class; whoever has the export and the recoding, as here, can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.methods.recodings import Partition

if TYPE_CHECKING:
    from anonduck.run import Run
    from anonduck.workspace import Workspace

HOW_MANY = 3
ROOT_LABEL = "*"


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
    recoding = run.release.recoding
    if run.levels:
        shown = _by_rule(workspace, run.levels, records)
    elif isinstance(recoding, Partition):
        shown = [_in_class(recoding, record) for record in records]
    else:
        return ()
    return tuple(
        ShownRecord(record, {name: {**record, **one}[name] for name in columns})
        for record, one in zip(records, shown, strict=True)
    )


def _in_class(recoding: Partition, record: Mapping[str, Any]) -> dict[str, Any]:
    """The nodes of the class of a record."""
    values = tuple(None if record[name] is None else str(record[name]) for name in recoding.names)
    nodes = recoding.nodes[recoding.combinations[values]]
    return {
        name: record[name] if level == 0 else ROOT_LABEL if label is None else label
        for name, (level, label) in zip(recoding.names, nodes, strict=True)
    }


def _by_rule(workspace: Workspace, levels: Mapping[str, int], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each value is at the levels of a rule."""
    from anonduck.release.mapping import read_mapping

    rows = read_mapping(workspace, levels).itertuples(index=False)
    shown = {(row.column_name, row.old_value): row.new_value for row in rows}
    coarser = [name for name, level in levels.items() if level]
    return [{name: shown.get((name, str(record[name]))) for name in coarser} for record in records]
