"""What tests of computed taxonomies share: the labels of some values, and properties that all such labels have."""

from anonduck.config.taxonomy import TaxonomyOptions
from anonduck.statements import Statement
from anonduck.taxonomy.builders.computed import label_query, levels_of


def options(**keys):
    return TaxonomyOptions(**keys)


def hold(database, texts, column_type="VARCHAR"):
    """Write the values, given as DuckDB text, into the temporary table held."""
    database.run(
        Statement(
            "test",
            f"CREATE OR REPLACE TEMP TABLE held AS SELECT unnest($texts::VARCHAR[])::{column_type} AS value",
            frozenset({"texts"}),
        ),
        {"texts": texts},
    )


def labelled(database, chosen, texts, column_type="VARCHAR"):
    """The path of each value, leaf to root, as text; checks the columns of the query against levels_of."""
    hold(database, texts, column_type)
    query = label_query(chosen, column_type, "held")
    relation = Statement("test", f"SELECT value::VARCHAR AS value, * EXCLUDE (value) FROM ({query.sql})")
    records = database.records(relation)
    names = ["value", *(f"level_{level}" for level in range(1, levels_of(chosen, column_type) + 1))]
    assert all(list(record) == names for record in records)
    return [tuple(record.values()) for record in records]


def check_tree(paths):
    """One label has one parent; all end in the root; NULL alone has NULL; a label names no value outside its node."""
    for path in paths:
        if path[0] is None:
            assert set(path) == {None}
        else:
            assert None not in path
            assert path[-1] == "*"
            assert "*" not in path[1:-1]
    for lower, upper in zip(range(len(paths[0]) - 1), range(1, len(paths[0])), strict=True):
        parents = {}
        for path in paths:
            assert parents.setdefault(path[lower], path[upper]) == path[upper], (lower, path)
    for level in range(1, len(paths[0])):
        labels = {path[level] for path in paths}
        assert all(path[level] == path[0] for path in paths if path[0] in labels)
