-- A frequency set rolled up to some attributes, with a number for each equivalence class.
-- One row: a distinct combination of attributes and sensitive values, with its records.
-- Reads: a frequency set: columns, and "#records"
-- Binds: attributes (columns), sensitive (columns), frequency_set (table), numbered_set (table)
-- Result: class, the number of the equivalence class; the sensitive columns; records.
-- NULL: PARTITION BY and GROUP BY put NULLs together: NULL is a value of its own. Without attributes all is one class.
CREATE OR REPLACE TEMP TABLE numbered_set AS
WITH rolled AS (
    SELECT attributes, sensitive, sum("#records")::BIGINT AS records
    FROM frequency_set
    GROUP BY attributes, sensitive
), counted AS (
    SELECT attributes, sensitive, records, row_number() OVER () AS place
    FROM rolled
)
SELECT attributes, sensitive, records, min(place) OVER (PARTITION BY attributes) AS class
FROM counted
