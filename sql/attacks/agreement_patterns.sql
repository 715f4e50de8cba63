-- How many pairs of a target and a released record agree in the same columns.
-- One row: a pattern of agreement, a bit for each compared column.
-- Reads: compared
-- Result: pattern; records, of all targets together.
SELECT pattern, sum(records)::DOUBLE AS records
FROM compared
GROUP BY pattern
ORDER BY pattern
