-- The distinct combinations of the values of a cut tree's columns.
-- One row: a combination.
-- Reads: the records
-- Binds: records_called (field), values (list), records (field)
-- Result: the values and their numbers; records.
-- NULL: a value as any other.
SELECT each(values, s."{id}"), each(values, s."{name}"), count(*) AS "{records_called}"
FROM {records} AS s GROUP BY each(values, s."{id}"), each(values, s."{name}")
