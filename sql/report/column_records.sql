-- The records of one column: those whose value is NULL, and those whose value has a row in its lookup.
-- One row: the column.
-- Reads: coded_frequency_set, the column's lookup
-- Binds: leaf_code (column), lookup (table)
-- Result: nulls, valued; together all records, if the lookup was made of the same records.
-- NULL: is code 0.
SELECT
    coalesce(sum("#records") FILTER (WHERE leaf_code = 0), 0)::BIGINT AS nulls,
    (SELECT coalesce(sum(lookup.records), 0)::BIGINT FROM lookup) AS valued
FROM coded_frequency_set
