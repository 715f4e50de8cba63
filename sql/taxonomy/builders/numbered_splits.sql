-- The bounds between rare leaves, numbered.
-- One row: such a bound.
-- Reads: splits
-- Result: temporary table numbered_splits: the distinct bounds with code_1 (negative, so that it is that of no gap).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE numbered_splits AS
SELECT
    (-row_number() OVER (ORDER BY stretch, above))::INTEGER AS code_1,
    stretch,
    below,
    above,
    number,
    power,
    moment
FROM splits
QUALIFY row_number() OVER (PARTITION BY stretch, above ORDER BY power DESC, abs(number) DESC, moment) = 1
