-- The way of each value of a sensitive column up the column's taxonomy.
-- One row: a value of the column and a level under the root, by level, then by the value's code.
-- Reads: sensitive_codes, the listed paths
-- Binds: listed (table)
-- Result: level, 0 for the value itself; node and parent, numbers. A value that the taxonomy lacks has no row.
-- NULL: a value of its own, with its own nodes up to the root.
SELECT listed.level, listed.node, listed.parent
FROM sensitive_codes
JOIN listed ON sensitive_codes.value::VARCHAR IS NOT DISTINCT FROM listed.value::VARCHAR
ORDER BY listed.level, sensitive_codes.code
