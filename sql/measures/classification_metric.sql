-- The penalty of the classification metric CM (Iyengar 2002).
-- One row: the rule whose node codes are the attributes.
-- Reads: cells (a coded frequency set)
-- Binds: attributes (columns), cells (table)
-- Result: penalty: records whose class is not the most frequent one of their equivalence class.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH counted AS (
    SELECT attributes, "#class", sum("#records") AS n
    FROM cells
    GROUP BY attributes, "#class"
), classes AS (
    SELECT sum(n) AS n, max(n) AS majority
    FROM counted
    GROUP BY attributes
)
SELECT coalesce(sum(n - majority), 0)::DOUBLE AS penalty
FROM classes
