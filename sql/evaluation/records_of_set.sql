-- The records of a frequency set, each as often as it is counted.
-- One row: a record.
-- Reads: counted
-- Binds: target (table), counted (table), columns (list), records (column)
-- Result: temporary table target: the columns by their names.
-- NULL: stays NULL.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT each(columns, "{called}" AS "{name}")
FROM (SELECT each(columns, "{called}"), unnest(range(records)) AS "#repeat" FROM counted) AS expanded
