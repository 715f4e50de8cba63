-- What records show, each label spread evenly over what it stands for: of a class of n records the i-th, from 0, in an order
-- of its own for each column, takes the value at the share (i + u) / n of the label's values, or of its interval.
-- One row: a record.
-- Reads: workload_rows, the tables of labels
-- Binds: columns (list), spread (list), shown (list), of_leaves (list), of_numbers (list), of_moments (list), alike (list)
-- Result: temporary table workload_release: the columns in their types in the source. u, from 0 to under 1, is drawn by a hash
--   of the class and the column: one of 2^20 numbers, so that the share stays under 1 in floating point.
-- NULL: is no label. What is no label is a value, and stays.
CREATE OR REPLACE TEMPORARY TABLE workload_release AS
WITH placed AS (
    SELECT
        *,
        each(spread,
            (
                row_number() OVER (PARTITION BY each(alike, "{name}";) ORDER BY hash("#row", {text}), "#row") - 1
                + (hash({text}, each(alike, "{name}";)) % 1048576)::DOUBLE / 1048576
            ) / count(*) OVER (PARTITION BY each(alike, "{name}";)) AS "#share {name}";
        )
    FROM workload_rows
), found AS (
    SELECT
        each(shown, placed."{name}";),
        each(of_leaves,
            CASE
                WHEN l{n}.label IS NULL THEN placed."{name}"::{kind}
                ELSE l{n}.leaves[least(floor(placed."#share {name}" * len(l{n}.leaves)), len(l{n}.leaves) - 1)::BIGINT + 1]
            END AS "{name}";
        ),
        each(of_numbers,
            CASE
                WHEN i{n}.label IS NULL THEN placed."{name}"::{kind}
                WHEN {unit} = 0 THEN (i{n}.low + i{n}.width * placed."#share {name}")::{kind}
                ELSE (floor(i{n}.low + i{n}.width * placed."#share {name}") * {unit}::DOUBLE)::{kind}
            END AS "{name}";
        ),
        each(of_moments,
            CASE
                WHEN m{n}.label IS NULL THEN placed."{name}"::{kind}
                ELSE {made}((floor(m{n}.low + m{n}.width * placed."#share {name}") * {unit}::DOUBLE)::BIGINT)::{kind}
            END AS "{name}";
        )
    FROM placed
    joins(of_leaves, LEFT JOIN "{table}" AS l{n} ON l{n}.label = placed."{name}"::VARCHAR;)
    joins(of_numbers,
        LEFT JOIN (SELECT label, low, greatest(high - low, 0) AS width FROM "{table}") AS i{n}
            ON i{n}.label = placed."{name}"::VARCHAR;
    )
    joins(of_moments,
        LEFT JOIN (SELECT label, low, greatest(high - low, 0) AS width FROM "{table}") AS m{n}
            ON m{n}.label = placed."{name}"::VARCHAR;
    )
)
SELECT each(columns, "{name}")
FROM found
