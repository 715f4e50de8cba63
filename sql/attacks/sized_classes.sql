-- The classes of the released rows by some columns, with their records.
-- One row: a class, in order of its labels.
-- Reads: released_rows
-- Binds: known (list)
-- Result: l_1, the number of the label of each attribute; records.
SELECT each(known, c.l_{number}), sum(c.records)::BIGINT AS records
FROM released_rows AS c
GROUP BY each(known, c.l_{number})
ORDER BY each(known, c.l_{number})
