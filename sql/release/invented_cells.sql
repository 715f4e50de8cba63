-- The released records that show a node under the root of a value that was imputed to them.
-- One row.
-- Reads: assigned_nodes, staying
-- Binds: held_value (column), scanned_value (column), node_level (column), staying (table), $root (value)
-- Result: records.
-- NULL: of scanned_value is a missing value; of held_value an outlier that nothing was imputed for.
SELECT coalesce(sum(staying."#records"), 0)::BIGINT AS records
FROM staying
JOIN assigned_nodes ON assigned_nodes."#assigned" = staying."#assigned"
WHERE
    staying.held_value IS DISTINCT FROM staying.scanned_value
    AND staying.held_value IS NOT NULL
    AND assigned_nodes.node_level < $root
