-- The rows of a table whose classes are not among the failing ones.
-- One row: as in the table.
-- Reads: relation, failing
-- Binds: target (table), relation (table), failing (table), attributes (list)
-- Result: temporary table target, as relation. Its columns are called q_1, q_2, ... in failing.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT whole.*
FROM relation AS whole
ANTI JOIN failing AS failing ON all_of(attributes, whole."{name}" IS NOT DISTINCT FROM failing."{called}"; TRUE)
