-- How many pairs of records lie within single rows among the first rows that were joined.
-- One row: all of them together.
-- Reads: packed_records
-- Binds: $last (value)
SELECT coalesce(sum(n::HUGEINT * (n - 1) // 2), 0)::BIGINT AS pairs_inside
FROM packed_records
WHERE id <= $last
