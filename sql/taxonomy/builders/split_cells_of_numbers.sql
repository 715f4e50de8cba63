-- The rare numbers with the multiple of 10^$power that each is not under.
-- One row: a rare leaf that is being parted.
-- Reads: splitting
-- Binds: $power (value)
-- Result: temporary table split_cells: the columns of splitting, cell (the multiple: how many times 10^$power).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE split_cells AS
WITH powers AS (
    SELECT range::INTEGER AS away, ('1' || repeat('0', range))::HUGEINT AS ten
    FROM range(39)
),
quotients AS (
    SELECT
        splitting.*,
        ten,
        CASE
            WHEN digits = 0 OR $power::INTEGER - scale > 38 THEN 0
            WHEN scale >= $power::INTEGER THEN digits * ten
            ELSE digits // ten
        END AS quotient
    FROM splitting
    JOIN powers ON powers.away = CASE WHEN digits = 0 THEN 0 ELSE least(abs(scale - $power::INTEGER), 38) END
)
SELECT
    * EXCLUDE (ten, quotient),
    CASE
        WHEN digits < 0 AND scale < $power::INTEGER THEN quotient - (quotient * ten > digits)::HUGEINT
        ELSE quotient
    END AS cell
FROM quotients
