-- The distinct values of columns whose lookups have the values with their records.
-- One row: a value of a column.
-- Reads: the lookups
-- Binds: lookups (list)
-- Result: temporary table counted_texts: place of the column in the list, from 0; value, as text; records.
-- NULL: left out.
CREATE OR REPLACE TEMPORARY TABLE counted_texts AS
united(lookups,
    SELECT {n} AS place, "value"::VARCHAR AS value, sum("records") AS records
    FROM "{schema}"."{name}"
    WHERE "value" IS NOT NULL
    GROUP BY "value"::VARCHAR
)
