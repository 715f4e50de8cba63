-- One level of a taxonomy of dates: what a date is called at one unit.
-- One row: a value.
-- Reads: computed (value, stamp, and a label per unit)
-- Binds: computed (table), unit (column)
-- Result: label; infinity and -infinity keep their names; text that is no date is (not a date).
-- NULL: stays NULL.
SELECT
    CASE
        WHEN value IS NULL THEN NULL
        WHEN stamp IS NULL THEN '(not a date)'
        WHEN isfinite(stamp) THEN unit
        ELSE CAST(stamp AS VARCHAR)
    END AS label
FROM computed
