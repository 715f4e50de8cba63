"""Query files with odd names in each list: what is parsed, and what runs."""

from anonduck.statements.expansion import FIELD, PLACE, Expression, Field, Repeat
from anonduck.statements.template import asked_lists

ODD = 'odd "№"'
NUMBER = 7
ALONE = {
    *("file", "files", "floats", "only_listed", "population", "raised", "ranges", "sheet", "some", "summed"),
    *("table_rows", "typed", "weights"),
}
"""Lists of one item at most: a reader, a type of values, or that something is so."""
ALONE_IN = {
    "frequency/pattern_block.sql": "counted",
    "taxonomy/builders/shipped_labels.sql": "joined",
    "taxonomy/node_leaves.sql": "counted",
    "engines/group_sizes.sql": "relation alone together",
}
"""The same in a file that has a list of the name like those of others."""
FEWEST = {"source/json_misfits.sql": {"written": 1}, "engines/group_sizes.sql": {"alone": 1}}
"""Lists of which not all are empty at once."""
FIELDS = {
    "cells": '"cells"',
    "combinations": '"combinations"',
    "combined": '"combined"',
    "descent": '"descent"',
    "itself": '"itself"',
    "kind": "VARCHAR",
    "nodes": '"nodes"',
    "tree": '"tree"',
    "other": "VARCHAR",
    "whole": "BIGINT",
    "zone": "'UTC'",
    "format": "'%Y'",
    "pad": "'0'",
    "made": "make_timestamp",
    "row": "own",
    "reader": '"read"',
    "query": '"read"',
    "relation": '"read"',
    "rows": '"read"',
    "pattern": "'[0-9]+'",
    "shown": "'a'",
    "value": "'a'",
}
"""What stands for an expression, by the name of its field; for others, the number 1."""
FIELDS_OF = {
    "engines/minus_zeros.sql": {"text": "VARCHAR"},
    "release/released_cells.sql": {"shown": 'FROM "read"'},
    "release/rows_by_values.sql": {"one": "'a'"},
    "release/shown_bounds.sql": {"kind": "BIGINT"},
    "release/typical_shown.sql": {"made": "'a'", "own": "'a'"},
    "release/scripts/covered.sql": {"levels": '"levels"', "classes": '"classes"', "other": "1"},
    "release/scripts/gate.sql": {"reached": "class_records"},
    "release/scripts/placed_bounds.sql": {"lookup": '"read"', "value": "1"},
    "release/scripts/tree_cells.sql": {"leaves": '"leaves"', "shown": '"shown"'},
    "release/scripts/tree_classes.sql": {"leaves": '"leaves"'},
    "release/scripts/tree_ends.sql": {"shown": '"shown"'},
    "release/scripts/tree_nodes.sql": {"shown": '"shown"', "ends": '"ends"'},
    "release/scripts/tree_records.sql": {"relation": '"read" AS s'},
    "release/scripts/tree_values.sql": {"records": '"records"'},
    "source/unlike_first_line.sql": {"text": "'a'"},
    "taxonomy/builders/shipped_labels.sql": {"text": '\'[["a", "b"]]\''},
}
"""The same in a file that means something else by a name."""
COLUMNS = {"privacy/classes_of_parts.sql": {"counted": "persons"}, "release/shown_classes.sql": {"shown": "alike №0"}}
"""The columns that are others of the statement."""


def sampled(loaded, count, schema=None):
    """A file with so many names in each list; with none where a list may be empty, and one where not."""
    kinds = {kind: [n for n, k in loaded.binds.items() if k == kind] for kind in set(loaded.binds.values())}
    bodies = {name: [one for one in repeats(loaded.parts) if one.name == name] for name in kinds.get("list", [])}
    fewest = FEWEST.get(loaded.name, {})
    counts = {one.name: max(count, fewest.get(one.name, 0 if one.may_be_empty else 1)) for one in asked_lists(loaded)}
    return loaded.bind(
        columns={n: [f"{n} №{i}" for i in range(counts[n])] for n in kinds.get("columns", [])},
        column={n: COLUMNS.get(loaded.name, {}).get(n, f'{n} "№"') for n in kinds.get("column", [])},
        table={n: (schema, f"{n} №") if schema else f"{n} №" for n in kinds.get("table", [])},
        lists={
            name: items(
                loaded.name, [part for one in found for part in one.body], limited(loaded.name, name, counts[name])
            )
            for name, found in bodies.items()
        },
        fields={name: sampled_field(loaded, name) for name in kinds.get("field", [])},
    )


def items(file, parts, count):
    """Items for a list, by the fields that its text has: odd names in double quotes, numbers within a name of SQL,
    expressions elsewhere, inner lists. One whose text has no field says that something is so: it has one item."""
    fields = {}
    for before, part in zip((" ", *parts), parts, strict=False):
        if isinstance(part, Repeat):
            fields |= {part.name: items(file, part.body, limited(file, part.name, count))} | inherited(file, part)
        elif isinstance(part, Field):
            within = isinstance(before, str) and (before[-1].isalnum() or before[-1] == "_")
            for name in set(FIELD.findall(part.text)) - {PLACE}:
                if fields.get(name) != NUMBER:
                    fields[name] = ODD if part.text.startswith('"') else NUMBER if within else expression(file, name)
    own = {name for name, held in fields.items() if held == NUMBER}
    return [
        {name: numbered(held, n, own) for name, held in fields.items()}
        for n in range(count if fields else min(count, 1))
    ]


def numbered(held, n, outer):
    """What an item has in a field: a name or a number of its own; inner items have the numbers of the outer one."""
    if isinstance(held, list):
        return [{name: one for name, one in item.items() if name not in outer} for item in held]
    return held + n if held == NUMBER else f"{held}{n}" if type(held) is str else held


def limited(file, name, count):
    """The number of items of a list."""
    return min(count, 1) if name in ALONE or name in ALONE_IN.get(file, "").split() else count


def inherited(file, repeat):
    """The fields of an inner text that may be those of the outer item."""
    return {name: held for item in items(file, repeat.body, 1) for name, held in item.items()}


def expression(file, name):
    """What stands for an expression in a file."""
    return Expression(FIELDS_OF.get(file, {}).get(name) or FIELDS.get(name, "1"))


def sampled_field(loaded, name):
    """A name where the field stands in double quotes, an expression elsewhere."""
    texts = [part.text for part in within(loaded.parts) if isinstance(part, Field) and name in FIELD.findall(part.text)]
    return ODD if any(text.startswith('"') for text in texts) else expression(loaded.name, name)


def repeats(parts):
    """The lists that a file declares, with their texts."""
    return (part for part in within(parts) if isinstance(part, Repeat))


def within(parts):
    """Parts, and those of lists in them."""
    for part in parts:
        yield part
        if isinstance(part, Repeat):
            yield from within((*part.body, *(part.empty or ())))
