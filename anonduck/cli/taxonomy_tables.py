"""Taxonomies as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from anonduck.cli.tables import print_table
from anonduck.cli.terminal import print_json


def print_taxonomies(taxonomies: Any, as_json: bool) -> None:
    """Kind, number of values and nodes of each taxonomy."""
    if as_json:
        print_json({"taxonomies": [asdict(taxonomy) for taxonomy in taxonomies.values()]})
        return
    rows = [
        [t.column, t.kind, f"{t.leaves:,}", str(t.root), " > ".join(f"{n:,}" for n in t.nodes)]
        for t in taxonomies.values()
    ]
    print_table(["column", "kind", "values", "root level", "nodes per level"], rows, right=["values", "root level"])
