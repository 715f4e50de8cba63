-- The codes of the values of a column whose combinations are counted at a floor.
-- One row: a distinct value.
-- Reads: lookup."<column>"
-- Binds: target (table), lookup (table), levels (list)
-- Result: temporary table target: value, and code_0 and so on for the levels.
-- NULL: has no row.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT value, each(levels, code_{level})
FROM lookup
