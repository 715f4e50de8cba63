-- Effect: adds the multiples of a step beside which enough rare records lie, within one step on either side.
-- One row: a bound between two neighbouring cells.
-- Reads: counted_cells
-- Binds: $label_k (value), $power (value), $months (value), $micros (value)
-- Result: rows of splits. The step is multiple * 10^$power for numbers; $months months, else $micros microseconds for
--   dates and times. What lies within a step moves no bound, as all of the step's records count alike.
-- NULL: not a leaf; number is NULL where the step is one of time, moment where it is not.
INSERT INTO splits
WITH neighbours AS (
    SELECT
        multiple,
        stretch,
        cell,
        records,
        first_value,
        lag(cell) OVER along AS cell_below,
        lag(records) OVER along AS records_below,
        lag(last_value) OVER along AS value_below
    FROM counted_cells
    WINDOW along AS (PARTITION BY multiple, stretch ORDER BY cell)
)
SELECT
    stretch,
    value_below,
    first_value,
    cell::HUGEINT * multiple,
    $power::INTEGER,
    CASE
        WHEN $months::BIGINT > 0
            THEN epoch_us(
                make_date(
                    floor(cell * $months::BIGINT / 12)::BIGINT,
                    (cell * $months::BIGINT - 12 * floor(cell * $months::BIGINT / 12) + 1)::BIGINT,
                    1
                )
            )
        WHEN $micros::BIGINT > 0 THEN cell * $micros::BIGINT
    END
FROM neighbours
WHERE
    cell_below = cell - 1
    AND records >= $label_k::BIGINT
    AND records_below >= $label_k::BIGINT
