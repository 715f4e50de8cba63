-- The leaves of a taxonomy with their place on the line of numbers, where records are not known.
-- One row: a leaf.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), codes (columns)
-- Result: temporary table node_leaves: the codes, node_records (NULL), number (a date or time by
--   its seconds; NULL for text and what is not finite).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE node_leaves AS
SELECT
    taxonomy.codes,
    NULL::BIGINT AS node_records,
    CASE
        WHEN typeof(taxonomy.value) = 'DATE' OR starts_with(typeof(taxonomy.value), 'TIMESTAMP') THEN epoch(try_cast(taxonomy.value AS TIMESTAMP))
        WHEN typeof(taxonomy.value) <> 'VARCHAR' AND isfinite(try_cast(taxonomy.value AS DOUBLE)) THEN try_cast(taxonomy.value AS DOUBLE)
    END AS number
FROM taxonomy
