-- Each level of a taxonomy whose labels are read already: one of them.
-- One row: a value.
-- Reads: computed (value, and a column per label)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on.
-- NULL: stays NULL.
SELECT *, each(levels, "{part}" AS label_{level})
FROM computed
