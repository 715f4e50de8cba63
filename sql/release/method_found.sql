-- The class of each combination, kept from what a method handed over.
-- One row: a combination.
-- Reads: given_classes
-- Binds: nothing
-- Result: combination, its number; assigned, the number of its class.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE found_classes AS
SELECT combination, assigned
FROM given_classes
