-- The value of a sensitive column in each counted row.
-- One row: one of evaluated_cells, in the order of its number.
-- Reads: evaluated_cells, sensitive_codes
-- Binds: sensitive (column)
-- Result: value_code, as in measures/sensitive_codes.sql.
-- NULL: a value of its own.
SELECT sensitive_codes.code AS value_code
FROM evaluated_cells
JOIN sensitive_codes ON evaluated_cells.sensitive IS NOT DISTINCT FROM sensitive_codes.value
ORDER BY evaluated_cells."#row"
