-- The rows of a release by classes that keeps columns as they are, from the source.
-- One row: a record.
-- Reads: source, the class of each record, assigned_nodes, the set of the records that stay where some left
-- Binds: columns (list), assigned_by (table), matches (list), runs (list), some (list), class_column (column),
--   class_value (column), ordered (list)
-- Result: the columns; in the order of their values, unless ordered is empty. Columns of nodes that follow one another are
--   sorted by one number of what a class shows in them: millions of rows are compared faster by it.
-- NULL: a value of its own.
SELECT each(columns, {shown} AS "{name}")
FROM source AS s
JOIN assigned_by AS k ON all_of(matches, {condition})
JOIN (
    SELECT *, each(runs, dense_rank() OVER (ORDER BY {nodes}) AS "#rank {place}";)
    FROM assigned_nodes
) AS n ON k.assigned = n."#assigned"
joins(some,
    SEMI JOIN "{name}" AS h
        ON k.assigned = h."#assigned" AND s.class_column IS NOT DISTINCT FROM h.class_value;
)
ORDER BY each(ordered, {key};)
