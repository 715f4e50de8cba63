-- The leaves of a taxonomy with their records and their place on the line of numbers.
-- One row: a leaf.
-- Reads: taxonomy."<column>", the frequency set
-- Binds: taxonomy (table), frequency (table), source_value (column), codes (columns)
-- Result: temporary table node_leaves: the codes, node_records (0 for a leaf that the source does not hold),
--   number (a date or time by its
--   seconds; NULL for text and what is not finite).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE node_leaves AS
WITH held AS (
    SELECT source_value AS held_value, sum("#records")::BIGINT AS held_records
    FROM frequency
    WHERE source_value IS NOT NULL
    GROUP BY source_value
)
SELECT
    taxonomy.codes,
    coalesce(held.held_records, 0)::BIGINT AS node_records,
    CASE
        WHEN typeof(taxonomy.value) = 'DATE' OR starts_with(typeof(taxonomy.value), 'TIMESTAMP') THEN epoch(try_cast(taxonomy.value AS TIMESTAMP))
        WHEN typeof(taxonomy.value) <> 'VARCHAR' AND isfinite(try_cast(taxonomy.value AS DOUBLE)) THEN try_cast(taxonomy.value AS DOUBLE)
    END AS number
FROM taxonomy
LEFT JOIN held ON held.held_value = taxonomy.value
