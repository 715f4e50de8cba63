-- How many released records have each label.
-- One row: an attribute and a label.
-- Reads: labels
-- Binds: nothing
-- Result: attribute; label; records.
-- NULL: the label NULL has a number as others do.
SELECT attribute, label, records
FROM labels
ORDER BY attribute, label
