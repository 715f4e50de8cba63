-- What each value of a column shows by a rule.
-- One row: a value.
-- Reads: the lookup of the column
-- Binds: lookup (table), columns (list)
-- Result: key_0 is the value, shown_0 its label.
-- NULL: left out.
SELECT l0.value AS key_0, each(columns, {shown} AS shown_0)
FROM lookup AS l0
WHERE l0.value IS NOT NULL
