-- The gaps between numbers as whole numbers: low < bound <= high, in units of 10^scale.
-- One row: a gap.
-- Reads: gaps
-- Binds: nothing
-- Result: temporary table scaled: code_1, low, high (HUGEINT), scale, unbounded (infinity below NaN: no number lies
--   between). A number is read from its shortest text, so 0.1 is one tenth. Ends that would need more than 36 digits
--   beside the other one are rounded towards the gap's side that keeps the comparison exact. An infinite end stands
--   for ten times the finite one (at least 10), so that a bound beside it is a finite round number. In an exact gap
--   only `above` fits, in all its digits: how large `below` is does not matter there, so 0 stands for it.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE scaled AS
WITH texts AS (
    SELECT
        code_1,
        exact,
        below::VARCHAR AS below_text,
        above::VARCHAR AS above_text,
        below_text = '-inf' AS below_infinite,
        above_text IN ('inf', 'nan') AS above_infinite,
        below_text = 'inf' AS unbounded
    FROM gaps
),
parts AS (
    SELECT
        code_1,
        exact,
        unbounded,
        below_infinite,
        above_infinite,
        CASE WHEN below_infinite OR unbounded THEN ['0'] ELSE str_split(below_text, 'e') END AS below_parts,
        CASE WHEN above_infinite THEN ['0'] ELSE str_split(above_text, 'e') END AS above_parts
    FROM texts
),
read AS (
    SELECT
        code_1,
        exact,
        unbounded,
        below_infinite,
        above_infinite,
        replace(below_parts[1], '.', '')::HUGEINT AS below_digits,
        replace(above_parts[1], '.', '')::HUGEINT AS above_digits,
        coalesce(below_parts[2]::INTEGER, 0) - length(coalesce(str_split(below_parts[1], '.')[2], '')) AS below_scale,
        coalesce(above_parts[2]::INTEGER, 0) - length(coalesce(str_split(above_parts[1], '.')[2], '')) AS above_scale
    FROM parts
),
finite AS (
    SELECT
        code_1,
        exact AND NOT above_infinite AS exact,
        unbounded,
        CASE
            WHEN exact AND NOT above_infinite THEN 0
            WHEN NOT below_infinite THEN below_digits
            WHEN above_infinite OR above_digits > 0 THEN -10
            ELSE least(above_digits * 10, -10)
        END AS below_digits,
        CASE
            WHEN NOT above_infinite THEN above_digits
            WHEN below_infinite OR below_digits < 0 THEN 10
            ELSE greatest(below_digits * 10, 10)
        END AS above_digits,
        CASE WHEN below_infinite THEN above_scale ELSE below_scale END AS below_scale,
        CASE WHEN above_infinite THEN below_scale ELSE above_scale END AS above_scale
    FROM read
),
with_scale AS (
    SELECT
        code_1,
        exact,
        unbounded,
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
    FROM finite
),
powers AS (
    SELECT range::INTEGER AS power, ('1' || repeat('0', range))::HUGEINT AS ten
    FROM range(39)
),
ends AS (
    SELECT
        code_1,
        exact,
        unbounded,
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
SELECT code_1, unbounded, scale, CASE WHEN exact THEN high - 1 ELSE low END AS low, high
FROM ends
