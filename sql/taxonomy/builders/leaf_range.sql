-- Between which numbers the leaves of a column lie.
-- One row: the whole column.
-- Reads: leaves
-- Result: lowest, highest, under_zero (the greatest negative leaf), over_zero (the smallest positive one), as text;
--   NULL where there is none. Infinities and NaN are left out.
-- NULL: not a leaf.
SELECT
    min(value)::VARCHAR AS lowest,
    max(value)::VARCHAR AS highest,
    (max(value) FILTER (WHERE value < 0))::VARCHAR AS under_zero,
    (min(value) FILTER (WHERE value > 0))::VARCHAR AS over_zero
FROM leaves
WHERE isfinite(value::DOUBLE)
