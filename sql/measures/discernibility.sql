-- The discernibility metric DM of a rule (Bayardo and Agrawal 2005).
-- One row: the rule whose node codes are the attributes.
-- Reads: cells (a coded frequency set)
-- Binds: attributes (columns), cells (table)
-- Result: the sum of the squared sizes of the equivalence classes.
-- NULL: is code 0, a value of its own.
WITH classes AS (
    SELECT attributes, sum("#records") AS n
    FROM cells
    GROUP BY attributes
)
SELECT coalesce(sum(n * n), 0)::DOUBLE AS discernibility
FROM classes
