-- The nodes of one level of a taxonomy with their records, and whether their labels may be shown to others.
-- One row: a node that some record is in.
-- Reads: the lookup of one column
-- Binds: lookup (table), code (column), parent_code (column), label (column), $k (value)
-- Result: node, parent (codes), name, leaves (distinct values that are held), records, safe (k records hold the node,
--   and its name is not that of a value which fewer hold, nor made of one); in the order of the codes.
-- NULL: has no row in a lookup; a value that the taxonomy lacks is in no node.
WITH held AS (
    SELECT
        code AS node,
        parent_code AS parent,
        label::VARCHAR AS name,
        lookup.value::VARCHAR AS value,
        lookup.records
    FROM lookup
    WHERE code IS NOT NULL
)
SELECT
    node,
    min(parent) AS parent,
    coalesce(min(name), '') AS name,
    count(*) AS leaves,
    sum(records)::BIGINT AS records,
    sum(records) >= $k
    AND NOT coalesce(bool_or(records < $k AND (name = value OR starts_with(name, value || ' +'))), false) AS safe
FROM held
GROUP BY node
ORDER BY node
