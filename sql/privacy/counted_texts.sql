-- The distinct values of each column, by one scan.
-- One row: a value of a column.
-- Reads: relation: a row is a record, or as many as the column in weights says
-- Binds: relation (table), columns (list), weights (list)
-- Result: temporary table counted_texts: place of the column in the list, from 0; value, as text; records.
-- NULL: left out.
CREATE OR REPLACE TEMPORARY TABLE counted_texts AS
SELECT *
FROM (
    SELECT
        CASE branches(columns, WHEN grouping(a_{n}) = 0 THEN {n}) END AS place,
        coalesce(each(columns, a_{n})) AS value,
        sum(weight) AS records
    FROM (SELECT each(columns, "{name}"::VARCHAR AS a_{n}), each(weights, "{name}"; 1) AS weight FROM relation) AS texts
    GROUP BY GROUPING SETS (each(columns, (a_{n})))
) AS counted
WHERE value IS NOT NULL
