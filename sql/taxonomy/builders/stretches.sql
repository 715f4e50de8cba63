-- The leaves of a column, each with whether enough records hold it for a label to name it.
-- One row: a leaf.
-- Reads: leaves
-- Binds: $label_k (value)
-- Result: temporary table stretched, without infinities and NaN, which lie in no stretch: value, records, position, common (at least $label_k records hold it), stretch:
--   how many common leaves there are up to this one. The rare leaves of a stretch lie between two neighbouring common
--   leaves.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE stretched AS
SELECT
    value,
    records,
    position,
    records >= $label_k::BIGINT AS common,
    sum((records >= $label_k::BIGINT)::BIGINT) OVER (ORDER BY position)::BIGINT AS stretch
FROM leaves
WHERE value::VARCHAR NOT IN ('-inf', 'inf', 'nan')
