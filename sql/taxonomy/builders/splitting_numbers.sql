-- The rare numbers that round bounds may part: those of stretches that leave enough records on both sides of one.
-- One row: a rare leaf.
-- Reads: stretched
-- Binds: $label_k (value)
-- Result: temporary table rare_numbers: stretch, value, records, digits (HUGEINT) and scale: the number is digits *
--   10^scale, as its shortest text says; cell (0, or -1 under 0: the multiple of each step that is larger than the
--   number); point: no digit stands before 10^point, of 0 far under that of any other number.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE rare_numbers AS
WITH texts AS (
    SELECT stretch, value, records, value::VARCHAR AS text
    FROM stretched
    WHERE NOT common
    QUALIFY sum(records) OVER (PARTITION BY stretch) >= 2 * $label_k::HUGEINT
),
parts AS (
    SELECT stretch, value, records, str_split(text, 'e') AS parts
    FROM texts
),
read AS (
    SELECT
        stretch,
        value,
        records,
        replace(parts[1], '.', '')::HUGEINT AS digits,
        coalesce(parts[2]::INTEGER, 0) - length(coalesce(str_split(parts[1], '.')[2], '')) AS scale
    FROM parts
)
SELECT
    stretch,
    value,
    records,
    digits,
    scale,
    -(digits < 0)::HUGEINT AS cell,
    (CASE WHEN digits = 0 THEN -100000 ELSE length(ltrim(digits::VARCHAR, '-')) + scale END)::INTEGER AS point
FROM read
