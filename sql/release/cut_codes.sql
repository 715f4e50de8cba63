-- The level at which each value of a column is shown, kept from what a method handed over.
-- One row: a leaf code.
-- Reads: given_cut
-- Binds: nothing
-- Result: leaf_code, shown_level.
-- NULL: is code 0.
CREATE OR REPLACE TEMP TABLE cut_codes AS
SELECT leaf_code, shown_level
FROM given_cut
