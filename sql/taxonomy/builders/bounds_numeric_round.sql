-- The roundest number of each gap: the multiple of the largest 1, 2 or 5 times a power of ten that has one there.
-- One row: a gap.
-- Reads: scaled
-- Result: temporary table rounded: code_1, negative, digits (text without leading zeros; empty for 0), scale: the
--   number is digits * 10^scale. 0 wins where it lies in the gap; of several multiples the greatest is
--   taken. The power of ten that fits into the gap's width has a multiple there for sure; from it, powers are
--   climbed.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE rounded AS
WITH RECURSIVE powers AS (
    SELECT range::INTEGER AS power, ('1' || repeat('0', range))::HUGEINT AS ten
    FROM range(39)
),
climbing AS (
    SELECT code_1, low, high, length((high - low)::VARCHAR) - 1 AS power
    FROM scaled
    WHERE low < high AND NOT (low < 0 AND high >= 0)
    UNION ALL
    SELECT climbing.code_1, climbing.low, climbing.high, powers.power
    FROM climbing
    JOIN powers ON powers.power = climbing.power + 1
    WHERE high // ten - (high % ten < 0)::HUGEINT > low // ten - (low % ten < 0)::HUGEINT
),
largest AS (
    SELECT code_1, max(power) AS power
    FROM climbing
    GROUP BY code_1
),
steps AS (
    SELECT
        scaled.code_1,
        scale,
        low,
        high,
        CASE WHEN powers.power < 38 THEN ten * 5 ELSE ten END AS five,
        CASE WHEN powers.power < 38 THEN ten * 2 ELSE ten END AS two,
        ten AS one
    FROM scaled
    LEFT JOIN largest ON largest.code_1 = scaled.code_1
    LEFT JOIN powers ON powers.power = largest.power
),
chosen AS (
    SELECT
        code_1,
        scale,
        low,
        high,
        CASE
            WHEN high // five - (high % five < 0)::HUGEINT > low // five - (low % five < 0)::HUGEINT THEN five
            WHEN high // two - (high % two < 0)::HUGEINT > low // two - (low % two < 0)::HUGEINT THEN two
            ELSE one
        END AS step
    FROM steps
)
SELECT
    code_1,
    coalesce((high // step - (high % step < 0)::HUGEINT) < 0, FALSE) AS negative,
    ltrim(ltrim(coalesce((high // step - (high % step < 0)::HUGEINT) * step, 0)::VARCHAR, '-'), '0') AS digits,
    scale
FROM chosen
