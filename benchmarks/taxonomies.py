"""Taxonomies of columns with a million distinct values, each builder beside its target of five seconds.

The time is that of making the taxonomy from the frequency set: leaves, labels, codes, bounds, digest, widths of nodes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import measuring

VALUES = 1_000_000
TARGET = 5.0

NUMBERS: dict[str, dict[str, Any]] = {
    "intervals": {"intervals": 5},
    "intervals, open ends": {"intervals": 5, "bottom": 1_000, "top": 9_000_000},
    "width": {"width": 100},
    "width, a list": {"width": [100, 1_000, 100_000]},
    "width, open end": {"width": 100, "top": 9_000_000},
    "quantiles": {"quantiles": [1_000, 100, 10]},
    "log": {"log": 10},
    "breaks": {"breaks": [0, 1_000, 1_000_000, 5_000_000]},
    "intervals, pruned": {"intervals": 5, "prune": True},
}
FLOATS: dict[str, dict[str, Any]] = {
    "intervals of floats": {"intervals": 5},
    "width of floats": {"width": 0.0002},
    "log of floats": {"log": 2},
}
TEXTS: dict[str, dict[str, Any]] = {
    "mask": {"mask": "right"},
    "mask by 2": {"mask": "right", "step": 2},
    "prefix": {"prefix": [5, 3, 1]},
}
TIMES: dict[str, dict[str, Any]] = {
    "dates": {"dates": ["day", "month", "quarter", "year"]},
}
ADDRESSES: dict[str, dict[str, Any]] = {
    "ip": {"ip": [24, 16, 8]},
}
MAILS: dict[str, dict[str, Any]] = {
    "email": {"email": True},
}


def main() -> None:
    """Build each taxonomy once and print its time beside the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=VALUES)
    options = parser.parse_args()
    slow = 0
    columns = {
        "number": NUMBERS,
        "share": FLOATS,
        "code": TEXTS,
        "time": TIMES,
        "address": ADDRESSES,
        "mail": MAILS,
    }
    for column, builders in columns.items():
        for name, how in builders.items():
            seconds, root, leaves = built(column, how, options.values)
            slow += seconds > TARGET
            print(f"{name:22} {leaves:>9,} values {root:>3} levels {seconds:6.2f} s  (target {TARGET:.0f} s)")
    print(f"{slow} over the target")


def built(column: str, how: dict[str, Any], values: int) -> tuple[float, int, int]:
    """Seconds, levels and leaves of one taxonomy."""
    from anonduck.config.reading import make_config
    from anonduck.database.connection import Database
    from anonduck.database.progress import Reporter
    from anonduck.statements import Statement
    from anonduck.taxonomy.taxonomies import ensure_taxonomies

    database = Database()
    rows = (
        'CREATE TABLE frequency_set AS SELECT (range * 10 + hash(range) % 10)::BIGINT AS "number@value", '
        '(hash(range) % 1000000007) / 100000007.0 - 3 AS "share@value", '
        "lpad(range::VARCHAR, 8, '0') AS \"code@value\", "
        "TIMESTAMP '2001-01-01' + to_minutes(range * 7) AS \"time@value\", "
        "concat_ws('.', 10, range // 65536, range // 256 % 256, range % 256) AS \"address@value\", "
        "'p' || range || '@d' || range % 5000 || '.example.org' AS \"mail@value\", "
        f'(1 + hash(range) % 7)::BIGINT AS "#records" FROM range({values})'
    )
    database.run(Statement("values", rows))
    config = make_config({"class": "class", "taxonomies": {column: how}})
    found: dict[str, Any] = {}

    def make() -> None:
        found.update(ensure_taxonomies(database, config, Path(), [column], label_k=5, reporter=Reporter()))

    seconds = measuring.seconds(make)
    database.close()
    return seconds, found[column].root, found[column].leaves


if __name__ == "__main__":
    main()
