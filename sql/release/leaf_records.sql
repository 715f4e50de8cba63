-- How many records of a release have each value of a column, by its leaf in the column's taxonomy.
-- One row: a leaf code that occurs.
-- Reads: release_set, the column's lookup
-- Binds: raw_value (column), lookup (table)
-- Result: code_0; records.
-- NULL: is code 0.
SELECT coalesce(l.code_0, 0)::BIGINT AS code_0, sum(s."#records")::BIGINT AS records
FROM release_set AS s
LEFT JOIN lookup AS l ON raw_value = l.value
GROUP BY 1
ORDER BY 1
