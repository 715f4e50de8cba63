-- The rows of a table whose classes are still in the numbered set, after failing classes were removed from it.
-- One row: as in the table.
-- Reads: relation, numbered_set
-- Binds: target (table), relation (table), attributes (list)
-- Result: table target, as relation; it may be that table itself. Its columns are called q_1, q_2, ... in numbered_set.
-- NULL: a value of its own.
CREATE OR REPLACE TABLE target AS
SELECT whole.*
FROM relation AS whole
SEMI JOIN numbered_set AS kept ON all_of(attributes, whole."{name}" IS NOT DISTINCT FROM kept."{called}"; TRUE)
