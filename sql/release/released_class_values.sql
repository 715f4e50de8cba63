-- The values of the class among the scanned records of a release, numbered in their order.
-- One row: a distinct value of the class.
-- Reads: release_set
-- Binds: class_value (column)
-- Result: value; code, from 0.
-- NULL: is a value of its own, before all others.
CREATE OR REPLACE TEMP TABLE released_class_values AS
SELECT value, row_number() OVER (ORDER BY value NULLS FIRST) - 1 AS code
FROM (
    SELECT DISTINCT class_value AS value
    FROM release_set
)
