"""The pair join as one reads it: the codes of each level compared, pair by pair, to hold the bit-sliced one against."""

from asking import quoted

from anonduck.statements import Statement
from anonduck.statements.pipeline.column_names import code_column


def join_pairs_plainly(database, roots, table="distance_patterns_plain"):
    """Write the histogram over all pairs of rows of ``joined_records``, without the pairs inside a row."""
    distances = "".join(f"{_distance(name, root)} AS {quoted(name + '@distance')}, " for name, root in roots.items())
    database.run(
        Statement(
            "plain pair join",
            f"""
            CREATE OR REPLACE TABLE {table} AS
            SELECT
                {distances}
                x."#class" IS DISTINCT FROM y."#class" AS "#class_differs",
                sum(x."#records" * y."#records")::BIGINT AS "#pairs"
            FROM joined_records AS x
            JOIN joined_records AS y ON x."#id" < y."#id"
            GROUP BY ALL
            """,
        )
    )


def _distance(name, root):
    """The number of levels under the root at which two rows differ."""
    columns = [quoted(code_column(name, level)) for level in range(root)]
    differing = " + ".join(f"(x.{column} IS DISTINCT FROM y.{column})::INTEGER" for column in columns)
    return f"({differing})::UTINYINT"
