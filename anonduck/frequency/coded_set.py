"""Frequency sets in codes, as query files list their attributes: ``l0`` is the lookup of the first."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.statements import Statement, statement
from anonduck.statements.pipeline.column_names import levels_to, value_column


def coded_frequency_set(
    table: str,
    roots: Mapping[str, int],
    class_name: str,
    *,
    frequency: str = "frequency_set",
    kept: Mapping[str, str] | None = None,
) -> Statement:
    """The frequency set with one node code per attribute and level under its root; NULL is code 0.

    ``kept`` names columns of the source whose values stay, and how they are called then.
    """
    attributes = [
        {"name": name, "number": number, "levels": levels_to(root - 1, 0)}
        for number, (name, root) in enumerate(roots.items())
    ]
    return statement(
        "frequency/coded.sql",
        column={"class_value": value_column(class_name)},
        table={"target": table, "frequency": frequency},
        lists={
            "attributes": attributes,
            "kept": [{"name": name, "called": called} for name, called in (kept or {}).items()],
        },
    )


def widened_set(table: str, roots: Mapping[str, int], folds: int) -> Statement:
    """The numbered cells (``coded_numbered``) with the codes of every level under each root, as the leaves' lookups
    have them, and their records in each fold (``cell_folds``), in the order of the cells."""
    attributes = [
        {"name": name, "number": number, "levels": levels_to(root - 1)}
        for number, (name, root) in enumerate(roots.items())
    ]
    return statement(
        "frequency/widened.sql",
        table={"target": table},
        lists={
            "attributes": attributes,
            "looked_up": [one for one in attributes if one["levels"]],
            "folds": [{"fold": fold} for fold in range(folds)],
        },
    )
