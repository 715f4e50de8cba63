-- The least level at which each class is shown in each column, kept from what a method handed over.
-- One row: a class in a column.
-- Reads: given_classes
-- Binds: nothing
-- Result: attribute, the column; assigned, the number of the class; least_level.
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE least_levels AS
SELECT attribute, assigned, least_level
FROM given_classes
