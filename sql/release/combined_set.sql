-- The records of release_set by leaf codes, with the number of their combination of quasi-identifiers and their class code.
-- One row: as in release_set.
-- Reads: release_set, the lookup of each column
-- Binds: names (list), class_value (column)
-- Result: temporary table combined_set, as release_set, and by column "<column>@0"; "#combination", from 0, in the order of
--   the codes; "#class", from 1, in the order of the values.
-- NULL: code 0.
CREATE OR REPLACE TEMPORARY TABLE combined_set AS
SELECT
    s.*,
    each(names, coalesce(l{n}.code_0, 0) AS "{name}@0"),
    dense_rank() OVER (ORDER BY each(names, coalesce(l{n}.code_0, 0))) - 1 AS "#combination",
    CASE WHEN s.class_value IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY s.class_value) END AS "#class"
FROM release_set AS s
joins(names, LEFT JOIN "release_lookup"."{name}" AS l{n} ON s."{name}@value" = l{n}.value)
