-- The rare numbers with the multiple of a step that each is not under: the multiples of $multiple * 10^$power.
-- One row: a rare leaf.
-- Reads: splitting
-- Binds: $power (value), $multiple (value)
-- Result: temporary table split_cells: the columns of splitting, cell (the number of steps up to the multiple).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE split_cells AS
WITH powers AS (
    SELECT range::INTEGER AS away, ('1' || repeat('0', range))::HUGEINT AS ten
    FROM range(39)
),
wholes AS (
    SELECT
        splitting.*,
        CASE
            WHEN digits = 0 THEN 0
            WHEN scale >= $power::INTEGER THEN digits * ten
            WHEN $power::INTEGER - scale > 38 THEN -(digits < 0)::HUGEINT
            ELSE digits // ten - (digits % ten < 0)::HUGEINT
        END AS whole
    FROM splitting
    JOIN powers ON powers.away = CASE WHEN digits = 0 THEN 0 ELSE least(abs(scale - $power::INTEGER), 38) END
)
SELECT
    * EXCLUDE (whole),
    whole // $multiple::HUGEINT - (whole % $multiple::HUGEINT < 0)::HUGEINT AS cell
FROM wholes
