-- The values of a column that has no levels, numbered as leaves are.
-- One row: a distinct value.
-- Reads: the value counts
-- Binds: held (column), counted (table), lookup (table)
-- NULL: has no row.
CREATE OR REPLACE TEMP TABLE lookup AS
SELECT held AS value, row_number() OVER (ORDER BY held) AS code_0
FROM counted
WHERE held IS NOT NULL
