-- Effect: adds a gap for each bound that parts rare leaves.
-- One row: such a bound.
-- Reads: numbered_splits
-- Binds: nothing
-- Result: rows of gaps.
-- NULL: not a leaf.
INSERT INTO gaps
SELECT code_1, below, above, TRUE
FROM numbered_splits
