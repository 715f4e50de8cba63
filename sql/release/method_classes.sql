-- The classes that a method found, as nodes are joined to them.
-- One row: a class.
-- Reads: release_set
-- Binds: nothing
-- Result: class, assigned (both its number).
-- NULL: does not occur.
CREATE OR REPLACE TEMP TABLE assigned_classes AS
SELECT DISTINCT "#assigned" AS class, "#assigned" AS assigned
FROM release_set
