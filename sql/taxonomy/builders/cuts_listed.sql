-- Cuts that are listed one by one, such as breaks written by hand or powers of a base.
-- One row: a cut that the column's type can hold.
-- Reads: leaves
-- Binds: $texts (value), $lowers (value), $ranks (value)
-- Result: temporary table ranked_cuts: lower (the smallest value of the column's type that is not under the cut, read
--   from $lowers), text (the cut in a label), rank (it is a cut at the levels 1 to rank).
-- NULL: not a leaf; a cut beyond the column's type is left out.
CREATE OR REPLACE TEMP TABLE ranked_cuts AS
WITH listed AS (
    SELECT
        unnest($texts::VARCHAR[]) AS text,
        unnest($lowers::VARCHAR[]) AS lower_text,
        unnest($ranks::INTEGER[]) AS rank
),
read AS (
    SELECT TRY(cast_to_type(lower_text, example)) AS lower, text, rank
    FROM listed
    CROSS JOIN (SELECT any_value(value) AS example FROM leaves) AS typed
)
SELECT lower, min(text) AS text, max(rank) AS rank
FROM read
WHERE lower IS NOT NULL
GROUP BY lower
