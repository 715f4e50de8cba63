-- The combinations of quasi-identifiers and what each shows, in their order.
-- One row: a combination; its class is not told.
-- Reads: assigned_combinations, assigned_nodes
-- Binds: names (list), columns (list)
-- Result: the values and what is shown, as texts.
-- NULL: a value of its own.
SELECT each(names, k."{name}@value"::VARCHAR), each(columns, {shown}::VARCHAR;)
FROM assigned_combinations AS k
JOIN assigned_nodes AS n ON k.assigned = n."#assigned"
ORDER BY each(names, k."{name}@value")
