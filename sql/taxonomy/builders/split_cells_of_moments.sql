-- The rare dates and times with the start of a unit of the calendar or the clock that each is not under.
-- One row: a rare leaf.
-- Reads: splitting
-- Binds: $months (value), $micros (value)
-- Result: temporary table split_cells: the columns of splitting, cell (the number of units up to the start). The unit
--   is $months months or, where these are 0, $micros microseconds.
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE split_cells AS
SELECT
    *,
    CASE
        WHEN $months::BIGINT > 0 THEN floor(months / $months::BIGINT)::BIGINT
        ELSE moment // $micros::BIGINT - (moment % $micros::BIGINT < 0)::BIGINT
    END AS cell
FROM splitting
