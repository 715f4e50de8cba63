-- The records of a frequency set, each as often as it is counted.
-- One row: a record.
-- Reads: counted
-- Binds: counted (table), columns (list), records (column)
-- Result: the columns by their names.
-- NULL: stays NULL.
SELECT each(columns, "{called}" AS "{name}")
FROM (SELECT each(columns, "{called}"), unnest(range(records)) AS "#repeat" FROM counted) AS expanded
