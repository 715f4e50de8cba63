-- The labels of the released rows.
-- One row: a released row, in order of its number.
-- Reads: released_rows
-- Binds: attributes (list)
-- Result: l_1, the number of the label of each attribute; records.
SELECT each(attributes, s.l_{number}), s.records
FROM released_rows AS s
ORDER BY s.class
