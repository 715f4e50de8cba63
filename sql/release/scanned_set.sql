-- The records of release_set with some columns a second time, whose values change afterwards.
-- One row: as before.
-- Reads: release_set
-- Binds: names (list)
-- Result: table release_set, as before, and by column "<column>@scanned".
-- NULL: stays.
CREATE OR REPLACE TABLE release_set AS
SELECT s.*, each(names, s."{name}@value" AS "{name}@scanned";)
FROM release_set AS s
