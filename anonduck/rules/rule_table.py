"""Rules as a table that sorts, filters and goes to Parquet: a column for each level and each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "roc_auc")
NULL_AS_A_WHOLE = ("rfd",)


def rule_table(
    documents: Sequence[Mapping[str, Any]],
    roots: Mapping[str, int],
    models: Sequence[str],
    *,
    nested: bool = False,
    why: str = "no rule was found",
) -> pd.DataFrame:
    """Rules, as ``Rule.as_json`` gives them, as a table of one row each; with ``nested`` as they are.

    A field by name or by attribute becomes a column for each, called by its path: ``levels.age``, ``accuracy.tree``,
    ``utility.loss``. ``levels.NAME`` is there for each attribute of ``roots``, which has the root's level where a rule
    does not name it. ``accuracy`` and the other scores are those of the first model, as in objectives. Fields that no
    rule has are left out. ``attrs["levels"]`` has the levels of each rule by its id, ready for a release. Without a
    rule, the table displays ``why``, which is in ``attrs["why"]`` too.
    """
    import pandas as pd

    from anonduck.rules.empty_table import empty_table

    if not documents:
        levels = {"levels": "object"} if nested else {f"levels.{name}": "int64" for name in roots}
        scores = dict.fromkeys(SCORES, "float64") if models else {}
        counts = {"k": "int64", "classes": "int64", "suppressed": "int64", "information_gain": "float64"}
        table = empty_table(why, {"id": "object", **levels, "literal": "object", **counts, **scores})
        table.attrs["levels"] = {}
        return table
    rows = documents if nested else [_flat(document, roots, models) for document in documents]
    table = pd.DataFrame([dict(row) for row in rows])
    table.attrs["levels"] = {document["id"]: dict(document["levels"]) for document in documents}
    return table


def _flat(document: Mapping[str, Any], roots: Mapping[str, int], models: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in document.items():
        if name == "levels":
            row.update({f"levels.{one}": value.get(one, root) for one, root in roots.items()})
        else:
            if name in SCORES and models:
                row[name] = value.get(models[0])
            if value is not None or name not in NULL_AS_A_WHOLE:
                row.update(_paths(name, value))
    return row


def _paths(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A field with what is in it, by path; nothing of one that is empty."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _paths(f"{path}.{name}", one)
    else:
        yield path, value
