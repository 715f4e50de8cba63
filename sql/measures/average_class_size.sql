-- The average size of an equivalence class, divided by the required k (C_avg; LeFevre et al. 2006).
-- One row: the rule whose node codes are the attributes.
-- Reads: cells (a coded frequency set)
-- Binds: attributes (columns), cells (table), $k (value)
-- Result: records / equivalence classes / the required k.
-- NULL: is code 0, a value of its own.
WITH classes AS (
    SELECT attributes, sum("#records") AS n
    FROM cells
    GROUP BY attributes
)
SELECT coalesce(avg(n) / $k, 0)::DOUBLE AS average_class_size
FROM classes
