"""The proof of a release by distributions: the written file held against the source that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonduck.auditing.original import audit_original
from anonduck.database.connection import Database
from anonduck.errors import RequirementNotMet
from anonduck.release.handed_out import BY_ORIGINAL
from anonduck.release.recoding import ReleaseInputs
from anonduck.statements import statement
from anonduck.statements.pipeline.builder_distributions import original_rows
from anonduck.statements.pipeline.builder_release import LOOKUP_SCHEMA


def proven_with_original(
    database: Database, written: object, inputs: ReleaseInputs, names: Sequence[str], asked: Mapping[str, float]
) -> dict[str, Any]:
    """What file and original show; raises RequirementNotMet where k or l, as asked, is missed."""
    class_ = inputs.roles.class_
    report = audit_original(
        written,
        database.arrow(original_rows([*names, class_])),
        names,
        distribution=class_,
        requirements=asked,
        taxonomies=lookups(database, inputs, names),
    )
    if not report.met:
        raise RequirementNotMet(f"the audit of the written file with the original found {report.failed}")
    return {
        "proven_by": "file and original",
        "original": report.as_json()["original"],
        "requirements": [
            {"name": line["name"], "configured": None, "lowered": False, **line, BY_ORIGINAL: True}
            for line in report.requirements
        ],
        "warnings": report.of_file,
        "remarks": report.of_original,
    }


def lookups(database: Database, inputs: ReleaseInputs, names: Sequence[str]) -> dict[str, Any]:
    """The taxonomies of a release while its tables are there: by column, lines of the value and its labels.

    A column that is NULL in all records has none.
    """
    found = {name: _lookup(database, inputs, name) for name in names}
    return {name: lines for name, lines in found.items() if len(lines)}


def _lookup(database: Database, inputs: ReleaseInputs, name: str) -> Any:
    columns = {"labels": [f"level_{level}" for level in range(1, inputs.taxonomies[name].root)]}
    query = statement("release/leaf_labels.sql", columns=columns, table={"lookup": (LOOKUP_SCHEMA, name)})
    frame = database.arrow(query).to_pandas()
    return frame.drop(columns="code_0").assign(root=inputs.root_labels.get(name, "*"))
