-- The distinct rows of the attacked release, by the numbers of their labels.
-- One row: such a row.
-- Reads: attacked_release (a_1, ..., records), labels
-- Binds: attributes (list)
-- Result: temporary table released_rows: class, a number; per attribute l_1, the number of its label, and lower_1 and
--   upper_1, its ends; records.
-- NULL: a label of its own; the ends of a label without a place on a line are NULL.
CREATE OR REPLACE TEMPORARY TABLE released_rows AS
SELECT row_number() OVER (ORDER BY each(attributes, l_{number})) AS class, rolled.*
FROM (
    SELECT
        each(attributes,
            b{number}.label AS l_{number}, b{number}.lower AS lower_{number}, b{number}.upper AS upper_{number}
        ),
        sum(s.records)::BIGINT AS records
    FROM attacked_release AS s
    joins(attributes,
        JOIN labels AS b{number} ON b{number}.attribute = {number} AND b{number}.text IS NOT DISTINCT FROM s.a_{number}
    )
    GROUP BY ALL
) AS rolled
