-- The records in equivalence classes that are smaller than a k.
-- One row: the rule whose node codes are the attributes.
-- Reads: coded_frequency_set
-- Binds: attributes (columns), $k (value)
-- Result: records.
-- NULL: is code 0, a value of its own.
WITH classes AS (
    SELECT attributes, sum("#records") AS n
    FROM coded_frequency_set
    GROUP BY attributes
)
SELECT coalesce(sum(n) FILTER (WHERE n < $k), 0)::BIGINT AS records
FROM classes
