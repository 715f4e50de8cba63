-- Effect: adds the starts of units that part rare leaves to the ends of the other gaps.
-- One row: such a start.
-- Reads: numbered_splits
-- Binds: nothing
-- Result: rows of ends: the one moment that each holds is the start.
-- NULL: not a leaf.
INSERT INTO ends
SELECT code_1, moment - 1, moment, NULL
FROM numbered_splits
