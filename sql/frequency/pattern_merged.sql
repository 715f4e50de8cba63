-- Puts together what the blocks have of the same key.
-- One row: a distinct key of pattern_blocks.
-- Reads: pattern_blocks
-- Binds: keys (list), $bound (value)
-- Result: temporary table merged_blocks: the keys; pairs; missed, the pairs that may be missed: $bound where the key was
--   not there before.
-- NULL: missed, in single blocks.
CREATE OR REPLACE TEMPORARY TABLE merged_blocks AS
SELECT
    each(keys, key_{n}),
    sum(pairs)::BIGINT AS pairs,
    coalesce(max(missed), $bound)::BIGINT AS missed
FROM pattern_blocks
GROUP BY each(keys, key_{n})
HAVING sum(pairs) > 0
