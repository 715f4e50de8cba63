-- The first attacked records by what is known of them, as Splink reads them.
-- One row: a target.
-- Reads: targets
-- Binds: known (list), lined (list), $limit (value)
-- Result: temporary table splink_targets of the targets up to $limit: unique_id; per attribute l_1, its label (0 for none) or
--   a list of labels, and lower_1 and upper_1, its position, where it has a place on a line.
-- NULL: a position of a value that is not on the line.
CREATE OR REPLACE TEMPORARY TABLE splink_targets AS
SELECT
    t.target AS unique_id,
    each(known, coalesce(t.l_{number}, {none}) AS l_{number}),
    each(lined, t.n_{number} AS lower_{number}, t.n_{number} AS upper_{number};)
FROM targets AS t
WHERE t.target <= $limit
