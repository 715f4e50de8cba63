-- The gaps between numbers as whole numbers: low < bound <= high, in units of 10^scale.
-- One row: a gap.
-- Reads: gaps
-- Result: temporary table scaled: code_1, low, high (HUGEINT), scale. A number is read from its shortest text, so 0.1 is
--   one tenth. Ends that would need more than 36 digits beside the other one are rounded towards the gap's side that
--   keeps the comparison exact. In an exact gap only `above` fits, in all its digits: how large `below` is does not
--   matter there, so 0 stands for it.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE scaled AS
WITH parts AS (
    SELECT
        code_1,
        exact,
        str_split(below::VARCHAR, 'e') AS below_parts,
        str_split(above::VARCHAR, 'e') AS above_parts
    FROM gaps
),
read AS (
    SELECT
        code_1,
        exact,
        CASE WHEN exact THEN 0 ELSE replace(below_parts[1], '.', '')::HUGEINT END AS below_digits,
        replace(above_parts[1], '.', '')::HUGEINT AS above_digits,
        coalesce(below_parts[2]::INTEGER, 0) - length(coalesce(str_split(below_parts[1], '.')[2], '')) AS below_scale,
        coalesce(above_parts[2]::INTEGER, 0) - length(coalesce(str_split(above_parts[1], '.')[2], '')) AS above_scale
    FROM parts
),
with_scale AS (
    SELECT
        code_1,
        exact,
        below_digits,
        above_digits,
        CASE WHEN below_digits = 0 THEN above_scale ELSE below_scale END AS below_scale,
        CASE WHEN above_digits = 0 THEN below_scale ELSE above_scale END AS above_scale,
        CASE
            WHEN below_digits = 0 THEN above_scale
            WHEN above_digits = 0 OR below_scale = above_scale THEN below_scale
            ELSE greatest(
                least(below_scale, above_scale),
                length(ltrim(below_digits::VARCHAR, '-')) + below_scale - 36,
                length(ltrim(above_digits::VARCHAR, '-')) + above_scale - 36
            )
        END AS scale
    FROM read
),
powers AS (
    SELECT range::INTEGER AS power, ('1' || repeat('0', range))::HUGEINT AS ten
    FROM range(39)
),
ends AS (
    SELECT
        code_1,
        exact,
        scale,
        CASE
            WHEN below_scale >= scale THEN below_digits * below_power.ten
            WHEN scale - below_scale > 38 THEN -(below_digits < 0)::HUGEINT
            ELSE below_digits // below_power.ten - (below_digits % below_power.ten < 0)::HUGEINT
        END AS low,
        CASE
            WHEN above_scale >= scale THEN above_digits * above_power.ten
            WHEN scale - above_scale > 38 THEN -(above_digits < 0)::HUGEINT
            ELSE above_digits // above_power.ten - (above_digits % above_power.ten < 0)::HUGEINT
        END AS high
    FROM with_scale
    JOIN powers AS below_power ON below_power.power = least(abs(below_scale - scale), 38)
    JOIN powers AS above_power ON above_power.power = least(abs(above_scale - scale), 38)
)
SELECT code_1, scale, CASE WHEN exact THEN high - 1 ELSE low END AS low, high
FROM ends
