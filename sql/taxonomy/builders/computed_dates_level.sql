-- Each level of a taxonomy of dates: what a date is called at its unit.
-- One row: a value.
-- Reads: computed (value, stamp, and a label per unit)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on; infinity and -infinity keep their names; text that is no date is (not a date).
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        CASE
            WHEN value IS NULL THEN NULL
            WHEN stamp IS NULL THEN '(not a date)'
            WHEN isfinite(stamp) THEN "{unit}"
            ELSE CAST(stamp AS VARCHAR)
        END AS label_{level}
    )
FROM computed
