-- The classes and cells of a grouped release.
-- One row: a cell, a combination of all columns.
-- Reads: grouped_release (a_1, ..., records), labels
-- Binds: target (table), grouped_release (table), labelled (list), others (list), kept (list), numbered (list), weighed (list)
-- Result: temporary table target: class, a combination of labelled and other columns, and cell, numbers: that of numbered
--   where the table has it; l_1, the label of each labelled column; a_1, each kept column; records, 1 where none are weighed.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    dense_rank() OVER (ORDER BY each(labelled, s.a_{number};), each(others, s.a_{number};)) AS class,
    each(numbered, s."{name}"; row_number() OVER ()) AS cell,
    each(labelled, b{number}.label AS l_{number};),
    each(kept, s.a_{number};),
    each(weighed, s."{name}"; 1::BIGINT) AS records
FROM grouped_release AS s
joins(labelled,
    JOIN labels AS b{number} ON b{number}.attribute = {number} AND b{number}.text IS NOT DISTINCT FROM s.a_{number};
)
