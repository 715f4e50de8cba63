-- The records of a set by equivalence class and leaf codes.
-- One row: a combination of leaf codes in an equivalence class.
-- Reads: the set staying, equivalent_classes, the lookup of each column
-- Binds: staying (table), names (list)
-- Result: "#equivalence"; by column "<column>@0"; "#records".
-- NULL: code 0.
SELECT
    e."#equivalence",
    each(names, coalesce(l{n}.code_0, 0)::BIGINT AS "{name}@0"),
    sum(s."#records")::BIGINT AS "#records"
FROM staying AS s
JOIN equivalent_classes AS e ON s."#assigned" = e."#assigned"
joins(names, LEFT JOIN "release_lookup"."{name}" AS l{n} ON s."{name}@value" = l{n}.value)
GROUP BY ALL
