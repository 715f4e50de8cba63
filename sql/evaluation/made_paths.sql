-- The values of a column whose taxonomy was just made of them, with their paths.
-- One row: a value, in the order of the leaf codes, which start at 1.
-- Reads: taxonomy."<column>"
-- Binds: codes (columns), labels (columns), taxonomy (table)
-- Result: the codes and labels of the levels above; text; number: the value, or its rank where it is no number.
-- NULL: has no row.
SELECT codes, labels, value::VARCHAR AS text, coalesce(try_cast(value AS DOUBLE), code_0::DOUBLE) AS number
FROM taxonomy
ORDER BY code_0
