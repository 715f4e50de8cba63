"""What is known of a release: what was asked and reached, what each column is, fingerprints that confirm no guess.

The owner's file holds all of it, the receipt what ``anonduck.release.handed_out`` hands out of it.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from anonduck.database import connection as database_room
from anonduck.database.connection import Database
from anonduck.database.fingerprints import files_fingerprint, fingerprint_key, relation_fingerprint, text_fingerprint
from anonduck.measures.requirement import Requirement
from anonduck.privacy.requirement import Criterion, CriterionResult, ask, finite
from anonduck.release.handed_out import BY_ORIGINAL
from anonduck.release.plan import ReleasePlan
from anonduck.release.recoder import GROUPED, Recoder
from anonduck.rules.dependency import AlikePairs
from anonduck.rules.rounding import DIGITS
from anonduck.source.source import Roles, Source
from anonduck.statements import statement
from anonduck.statements.column_types import is_nested
from anonduck.statements.pipeline.builder_release import ReleasedColumn
from anonduck.statements.pipeline.column_names import value_column
from anonduck.words import __version__


def versions() -> dict[str, str]:
    """Everything whose version could change a release."""
    return {
        "anonduck": __version__,
        "duckdb": database_room.version(),
        "pyarrow": metadata.version("pyarrow"),
        "python": platform.python_version(),
    }


def requirement_lines(
    configured: Mapping[str, Any],
    requirement: Requirement,
    reached: Sequence[CriterionResult],
    suppressed_share: float,
    *,
    found_for: int | None = None,
) -> list[dict[str, Any]]:
    """What was configured, asked and reached; a requirement weaker than the configured one is marked lowered.

    A candidate that was ``found_for`` a larger k than anybody asked for has to reach that, and the line says what was
    asked. ``suppression`` has a line where any is allowed or configured; where too many records had to be left out,
    nothing else was measured.
    """
    lines = [
        {
            "name": one.name,
            "configured": one.required if one.asked.of_policy else configured.get(one.name),
            "required": one.required,
            "reached": finite(one.reached),
            "met": one.met,
            "lowered": not one.asked.of_policy and is_weaker(one.asked, configured.get(one.name)),
            **({"asked": configured["k"]} if one.name == "k" and found_for == one.required else {}),
            **one.remarks,
            **({BY_ORIGINAL: True} if one.asked.model.reads == "persons" else {}),
        }
        for one in reached
    ]
    if requirement.suppression or configured.get("suppression"):
        lines.append(
            {
                "name": "suppression",
                "configured": configured.get("suppression"),
                "required": requirement.suppression,
                "reached": round(suppressed_share, DIGITS),
                "met": requirement.allows_share(suppressed_share),
                "lowered": requirement.suppression > configured.get("suppression", 0.0),
                "at_most": True,
            }
        )
    return lines


def is_weaker(asked: Criterion, configured: Any) -> bool:
    """Whether a requirement asks for less than the configured one, in any of its numbers; not if none is configured."""
    if configured is None:
        return False
    (before,) = ask({asked.model.name: configured})
    return asked.weaker_than(before)


def draft_of(
    database: Database,
    plan: ReleasePlan[Recoder],
    source: Source,
    roles: Roles,
    lines: list[dict[str, Any]],
    unmapped: Mapping[str, Mapping[str, int]],
    reached: tuple[int, int, int, int],
) -> dict[str, Any]:
    """What is known before the audit: the recoding, what was asked and reached, a data dictionary, fingerprints.

    ``warnings`` follow from the released file and from what was asked, ``remarks`` are for the owner alone.
    """
    rows, classes, k, suppressed = reached
    fingerprints = _fingerprints(database, plan, source)
    described = dict(plan.recoding.described(database))
    warned, remarks = described.pop("warnings", []), described.pop("remarks", [])
    columns = [_dictionary_entry(database, column, plan, roles) for column in plan.columns]
    return {
        **described,
        **_recoding(plan, described["method"]),
        "proven_by": "file" if plan.requirement.linked_k is None else "file and original",
        "reason": plan.reason,
        "chosen_by": plan.chosen_by,
        "rows": rows,
        "classes": classes,
        "k": k,
        "suppressed": suppressed,
        **plan.scores.for_records(fingerprints["source"]),
        "utility": None,
        "requirements": lines,
        "of_choice": [*plan.of_choice],
        "left_out": _left_out(columns, roles),
        **({} if plan.entity is None else {"entity": plan.entity.as_json()}),
        **(
            {}
            if plan.policy is None
            else {"policy": plan.policy.as_json() | {"narrowed": list(plan.requirement.narrowed)}}
        ),
        "columns": columns,
        "dependency": _dependency(database, plan, roles),
        "unknown_values": plan.unknown_values,
        "unmapped": {name: dict(counts) for name, counts in unmapped.items()},
        "fingerprints": fingerprints,
        "versions": versions(),
        "warnings": [*warned, *plan.policy_remarks],
        "remarks": remarks,
    }


def _left_out(columns: Sequence[Mapping[str, Any]], roles: Roles) -> list[str]:
    """The quasi-identifiers of which a release shows nothing: it has no such column, or one with the root label."""
    at_root = [one["name"] for one in columns if one["level"] is not None and one["level"] == one.get("levels")]
    shown = {one.get("of", one["name"]) for one in columns if one["name"] not in at_root}
    return [name for name in roles.quasi_identifiers if name not in shown]


def _recoding(plan: ReleasePlan[Recoder], method: Mapping[str, Any] | None) -> dict[str, Any]:
    """``recoding`` of a candidate that is no rule, and of one that shows no ranges: which it is, what found it, and
    what it shows of values."""
    shows = plan.recoding.shows
    if method is None or (plan.candidate is None and shows == "ranges"):
        return {}
    found = {"id": plan.candidate, "method": method["name"], "settings": method["options"], "shows": shows}
    return {"recoding": found}


def _dependency(database: Database, plan: ReleasePlan[Recoder], roles: Roles) -> dict[str, Any] | None:
    """How often records of the grouped release that look alike differ in the class; None where it does not hold the
    class as single values."""
    names = [column.name for column in plan.columns if column.generalized]
    types, class_ = database.types_of(GROUPED), roles.named_class
    held = [name for name in names if value_column(name) in types]
    kind = None if class_ is None else types.get(value_column(class_))
    if class_ is None or not held or kind is None or is_nested(kind):
        return None
    queries = {
        names: statement(
            "release/alike_pairs.sql", columns={"shown": [*map(value_column, names)]}, table={"grouped": GROUPED}
        )
        for names in (tuple(held), (*held, class_))
    }
    (records, alike), (_, equal) = database.row_of_each(queries).values()
    return AlikePairs(tuple(held), class_, int(records), int(alike), int(alike) - int(equal)).as_json()


def _dictionary_entry(
    database: Database, column: ReleasedColumn, plan: ReleasePlan[Recoder], roles: Roles
) -> dict[str, Any]:
    if column.generalized:
        entry = plan.recoding.entry(database, column.name)
        return {"name": column.name, "role": "quasi-identifier", **entry}
    if not column.typed:
        return {"name": column.name, "role": "class", **plan.recoding.entry(database, column.name)}
    role = "class" if column.name == roles.class_ else "sensitive" if column.name in roles.sensitive else "insensitive"
    return {"name": column.name, "role": role, "level": None, "words": "kept as it is"}


def _fingerprints(database: Database, plan: ReleasePlan[Recoder], source: Source) -> dict[str, Any]:
    from anonduck.taxonomy.catalog import digests

    key = fingerprint_key(database)
    if source.snapshot is not None:
        content = text_fingerprint(key, source.snapshot)
    else:
        content = files_fingerprint(key, source.files) if source.files else relation_fingerprint(database, key)
    return {
        "algorithm": "HMAC-SHA256, the key stays in the decision database",
        "source": content,
        "asked": None if plan.asked is None else text_fingerprint(key, plan.asked),
        "taxonomies": {
            name: text_fingerprint(key, text) for name, text in digests(database, plan.recoding.generalized).items()
        },
    }
