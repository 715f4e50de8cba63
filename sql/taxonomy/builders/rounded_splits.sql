-- Effect: adds the round numbers that part rare leaves to those of the other gaps.
-- One row: such a number.
-- Reads: numbered_splits
-- Binds: nothing
-- Result: rows of rounded.
-- NULL: not a leaf.
INSERT INTO rounded
SELECT code_1, number < 0, ltrim(ltrim(number::VARCHAR, '-'), '0'), power
FROM numbered_splits
