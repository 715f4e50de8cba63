-- One level of a taxonomy whose labels are read already: one of them.
-- One row: a value.
-- Reads: computed (value, and a column per label)
-- Binds: computed (table), part (column)
-- Result: label.
-- NULL: stays NULL.
SELECT part AS label
FROM computed
