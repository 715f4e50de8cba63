-- How many patterns there are, and their pairs.
-- One row: all of them together.
-- Reads: pattern_blocks, merged
-- Binds: differs (list)
-- Result: patterns; pairs; class_differing_pairs, those that differ in class.
SELECT
    count(*) AS patterns,
    coalesce(sum(pairs), 0)::BIGINT AS pairs,
    coalesce(sum(pairs) FILTER (WHERE all_of(differs, ((key_{key} >> {flag}) & 1) = 1)), 0)::BIGINT AS class_differing_pairs
FROM pattern_blocks
