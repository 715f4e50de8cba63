-- The next power of ten whose multiples may part rare numbers.
-- One row: the power.
-- Reads: splitting, small_numbers
-- Binds: $power (value), $label_k (value)
-- Result: power: the one under the last, $power, where numbers are still being parted, else the size of the largest
--   that wait; at first ($power is NULL) the size of the largest number. NULL where none is left.
-- NULL: not a leaf.
SELECT max(power) AS power
FROM (
    SELECT $power::INTEGER - 1 AS power
    FROM splitting
    UNION ALL
    SELECT least(point, $power::INTEGER - 1) AS power
    FROM small_numbers
    WHERE $power::INTEGER IS NULL OR (point <= $power::INTEGER AND records >= 2 * $label_k::HUGEINT)
) AS powers
