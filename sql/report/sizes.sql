-- How large the equivalence classes of a rule are.
-- One row: a size that some equivalence class has.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: attributes (columns), coded (table)
-- Result: records (the size), classes (how many have it), smallest first.
-- NULL: is code 0, a value of its own.
WITH classes AS (
    SELECT attributes, sum("#records")::BIGINT AS records
    FROM coded
    GROUP BY attributes
)
SELECT records, count(*) AS classes
FROM classes
GROUP BY records
ORDER BY records
