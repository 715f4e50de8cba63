-- Drops the patterns that can have no more pairs than a number.
-- One row: does not occur.
-- Reads: pattern_blocks
-- Binds: $cut (value)
CREATE OR REPLACE TEMPORARY TABLE merged_blocks AS
SELECT *
FROM pattern_blocks
WHERE pairs + missed > $cut
