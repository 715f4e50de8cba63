-- The bounds between the level-1 intervals of a numeric column: the round numbers of gaps, and those between rare leaves.
-- One row: a level-1 node but the first.
-- Reads: gaps, rounded, numbered_splits
-- Binds: $plain (value)
-- Result: temporary table cuts: code_1, text (the bound in a label), lower (the smallest value of the column's type
--   that is not under the bound). Numbers of more than $plain digits are written with an exponent.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE cuts AS
WITH found AS (
    SELECT rounded.code_1, gaps.below, gaps.above, rounded.negative, rounded.digits, rounded.scale
    FROM rounded
    JOIN gaps ON gaps.code_1 = rounded.code_1
    UNION ALL
    SELECT code_1, below, above, number < 0, ltrim(ltrim(number::VARCHAR, '-'), '0'), power
    FROM numbered_splits
),
trimmed AS (
    SELECT
        code_1,
        below,
        above,
        negative,
        rtrim(digits, '0') AS shown,
        scale + length(digits) - length(rtrim(digits, '0')) AS exponent,
        length(shown) + exponent AS point
    FROM found
),
written AS (
    SELECT
        code_1,
        below,
        above,
        CASE
            WHEN shown = '' THEN '0'
            WHEN exponent >= 0 AND point <= $plain THEN shown || repeat('0', exponent)
            WHEN exponent < 0 AND point > 0 THEN left(shown, point) || '.' || substr(shown, point + 1)
            WHEN exponent < 0 AND -point <= $plain THEN '0.' || repeat('0', -point) || shown
            ELSE left(shown, 1) || CASE WHEN length(shown) > 1 THEN '.' || substr(shown, 2) ELSE '' END
                || 'e' || (point - 1)
        END AS size,
        CASE WHEN negative THEN '-' || size ELSE size END AS text
    FROM trimmed
),
read AS (
    SELECT
        code_1,
        text,
        below,
        above,
        TRY(cast_to_type(text, above)) AS bound
    FROM written
)
SELECT code_1, text, CASE WHEN bound > below AND bound < above THEN bound ELSE above END AS lower
FROM read
