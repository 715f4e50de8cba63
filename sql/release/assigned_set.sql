-- The frequency set of what a release holds, by the class that each record was assigned to.
-- One row: a combination of values and class.
-- Reads: keyed_set, assigned_records
-- Binds: source_key (column), columns (list)
-- Result: table release_set: "#assigned", each column, "#records".
-- NULL: a value of its own.
CREATE OR REPLACE TABLE release_set AS
SELECT
    k.assigned AS "#assigned",
    each(columns, s."{name}@value";),
    sum(s."#records")::BIGINT AS "#records"
FROM keyed_set AS s
JOIN assigned_records AS k ON s.source_key = k.key
GROUP BY ALL
