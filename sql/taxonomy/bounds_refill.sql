-- Puts the intervals without a leaf back among the others.
-- One row: such an interval.
-- Reads: empty_bounds
-- Binds: bounds (table)
-- NULL: a lower bound that is open.
INSERT INTO bounds BY NAME
SELECT * FROM empty_bounds
