-- How large the equivalence classes of a rule are, and how many hold a single class value.
-- One row: a range of sizes in the series 1, 2, 5, 10, 20, 50 and so on that some equivalence class lies in.
-- Reads: coded (the coded frequency set, or a part of it)
-- Binds: attributes (columns), coded (table)
-- Result: lower (the smallest size of the range), classes, records; alike_classes and alike_records count equivalence
--   classes whose records all have one class value; in the order of the sizes.
-- NULL: is code 0, a value of its own, in attributes and class.
WITH cells AS (
    SELECT attributes, "#class", sum("#records")::BIGINT AS n
    FROM coded
    GROUP BY attributes, "#class"
), classes AS (
    SELECT
        attributes,
        sum(n)::BIGINT AS n,
        count(*) AS class_values,
        pow(10, length(sum(n)::BIGINT::VARCHAR) - 1)::BIGINT AS magnitude
    FROM cells
    GROUP BY attributes
)
SELECT
    magnitude * CASE WHEN n >= 5 * magnitude THEN 5 WHEN n >= 2 * magnitude THEN 2 ELSE 1 END AS lower,
    count(*) AS classes,
    sum(n)::BIGINT AS records,
    count(*) FILTER (WHERE class_values = 1) AS alike_classes,
    coalesce(sum(n) FILTER (WHERE class_values = 1), 0)::BIGINT AS alike_records
FROM classes
GROUP BY lower
ORDER BY lower
