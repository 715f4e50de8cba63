-- The records whose equivalence class is still in the grouped release.
-- One row: as in release_set.
-- Reads: release_set, release_rows, and what the columns show by classes or by values
-- Binds: alike (list), classes (list), valued (list)
-- Result: temporary table staying_set, as release_set. The columns are those in which an equivalence class is alike.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE staying_set AS
SELECT s.*
FROM release_set AS s
joins(classes, JOIN assigned_nodes AS n ON s."#assigned" = n."#assigned";)
joins(valued, JOIN "{name} shown" AS w{place} ON s."{name}@value" IS NOT DISTINCT FROM w{place}.key;)
SEMI JOIN release_rows AS g ON all_of(alike, {shown} IS NOT DISTINCT FROM g."{name}@value"; TRUE)
