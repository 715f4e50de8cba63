-- The classes that a method found, as nodes are joined to them.
-- One row: a class.
-- Reads: release_set
-- Result: class, assigned (both its number).
CREATE OR REPLACE TEMP TABLE assigned_classes AS
SELECT DISTINCT "#assigned" AS class, "#assigned" AS assigned
FROM release_set
