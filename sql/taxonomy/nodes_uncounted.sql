-- The leaves of a taxonomy with their place among numbers, where records are not known.
-- One row: a leaf.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table), codes (columns)
-- Result: temporary table node_leaves: the codes, node_records (NULL), number (NULL for what is no finite
--   number).
-- NULL: not a leaf.
CREATE OR REPLACE TEMP TABLE node_leaves AS
SELECT
    taxonomy.codes,
    NULL::BIGINT AS node_records,
    CASE WHEN isfinite(try_cast(taxonomy.value AS DOUBLE)) THEN try_cast(taxonomy.value AS DOUBLE) END AS number
FROM taxonomy
