-- The equivalence classes of a frequency set, with a number for each.
-- One row: an equivalence class.
-- Reads: a frequency set
-- Binds: attributes (columns), frequency_set (table), named_classes (table)
-- Result: the attributes; class, the number.
-- NULL: GROUP BY puts NULLs together: NULL is a value of its own. Without attributes all is one class.
CREATE OR REPLACE TEMP TABLE named_classes AS
WITH equivalence_classes AS (
    SELECT attributes, count(*) AS combinations
    FROM frequency_set
    GROUP BY attributes
)
SELECT attributes, row_number() OVER () AS class
FROM equivalence_classes
