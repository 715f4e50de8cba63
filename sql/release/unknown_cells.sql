-- The records that have no value in a column, or one outside its range, once the latter has become NULL.
-- One row.
-- Reads: release_set
-- Binds: held_value (column), scanned_value (column)
-- Result: missing, outliers (both records).
-- NULL: of scanned_value is a missing value.
SELECT
    coalesce(sum("#records") FILTER (scanned_value IS NULL), 0)::BIGINT AS missing,
    coalesce(sum("#records") FILTER (scanned_value IS NOT NULL AND held_value IS NULL), 0)::BIGINT AS outliers
FROM release_set
