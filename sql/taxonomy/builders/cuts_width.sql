-- The cuts of a grid of one width: the multiples of the width, each with the levels at which it stays a cut.
-- One row: a multiple of the width that the column's type can hold.
-- Reads: leaves
-- Binds: $first (value), $last (value), $digits (value), $scale (value), $exponent (value), $decimals (value),
--   $multiples (value)
-- Result: temporary table ranked_cuts: lower (the cut in the column's type), text (the cut in a label), rank (it is a
--   cut at the levels 1 to rank). The width is $digits * 10^($exponent - $scale); the cuts are its multiples $first
--   to $last; the width of level l is $multiples[l] such widths. Decimals show at least $decimals places.
-- NULL: not a leaf; a cut beyond the column's type is left out.
CREATE OR REPLACE TEMP TABLE ranked_cuts AS
WITH grid AS (
    SELECT
        range AS multiple,
        range::HUGEINT * $digits::HUGEINT AS units,
        lpad(abs(units)::VARCHAR, greatest($scale::INTEGER + 1, length(abs(units)::VARCHAR))::INTEGER, '0') AS shown,
        left(shown, length(shown) - $scale::INTEGER) AS whole,
        right(shown, $scale::INTEGER) AS places
    FROM range($first::BIGINT, $last::BIGINT + 1)
),
written AS (
    SELECT
        multiple,
        rtrim(places, '0') AS cut_places,
        rpad(cut_places, greatest($decimals::INTEGER, length(cut_places))::INTEGER, '0') AS padded,
        CASE WHEN units < 0 THEN '-' ELSE '' END || whole
        || CASE WHEN padded = '' THEN '' ELSE '.' || padded END
        || CASE WHEN $exponent::INTEGER = 0 OR units = 0 THEN '' ELSE 'e' || $exponent::INTEGER END AS text
    FROM grid
),
read AS (
    SELECT
        TRY(cast_to_type(text, example)) AS lower,
        text,
        len(list_filter($multiples::BIGINT[], lambda levels_width: multiple % levels_width = 0))::INTEGER AS rank
    FROM written
    CROSS JOIN (SELECT any_value(value) AS example FROM leaves) AS typed
)
SELECT lower, any_value(text) AS text, max(rank) AS rank
FROM read
WHERE lower IS NOT NULL
GROUP BY lower
