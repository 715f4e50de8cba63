-- The records of a set by equivalence class and leaf codes.
-- One row: a combination of leaf codes in an equivalence class.
-- Reads: the set staying, assigned_nodes, the lookup of each column
-- Binds: staying (table), names (list)
-- Result: "#equivalence"; by column "<column>@0"; "#records".
-- NULL: code 0.
SELECT
    n."#equivalence",
    each(names, coalesce(l{n}.code_0, 0)::BIGINT AS "{name}@0"),
    sum(s."#records")::BIGINT AS "#records"
FROM staying AS s
LEFT JOIN (
    SELECT "#assigned", dense_rank() OVER (ORDER BY each(names, "{name}@value")) AS "#equivalence"
    FROM assigned_nodes
) AS n ON s."#assigned" = n."#assigned"
joins(names, LEFT JOIN "release_lookup"."{name}" AS l{n} ON s."{name}@value" = l{n}.value)
GROUP BY ALL
