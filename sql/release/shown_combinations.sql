-- What each combination of some columns shows in the columns of nodes.
-- One row: a combination; all its records have one class.
-- Reads: the set staying, and what the columns show by classes or by values
-- Binds: staying (table), keys (list), columns (list), classes (list), valued (list)
-- Result: key_0, ... are the combination, shown_0, ... what it shows.
-- NULL: a value of its own.
SELECT
    each(keys, s."{name}" AS key_{n}),
    each(columns, any_value({shown}) AS shown_{n};)
FROM staying AS s
joins(classes, JOIN assigned_nodes AS n ON s."#assigned" = n."#assigned";)
joins(valued, JOIN "{name} shown" AS w{place} ON s."{name}@value" IS NOT DISTINCT FROM w{place}.key;)
GROUP BY each(keys, s."{name}")
