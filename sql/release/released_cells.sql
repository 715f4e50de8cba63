-- The records of a release by what they were and by what they show.
-- One row: a combination of leaf codes, levels and class.
-- Reads: the query shown, the lookup of each column, released_class_values
-- Binds: shown (field), names (list), some (list), class_value (column)
-- Result: temporary table released_cells: by column "<column>@0", the leaf code, and "<column>@level", the level that is
--   shown; "#class"; "#equivalence"; "#stays", which is asked where some may have left; "#records".
-- NULL: code 0; of records that left, level and equivalence class may be 0 too.
CREATE OR REPLACE TEMPORARY TABLE released_cells AS
SELECT
    each(names, coalesce(l{n}.code_0, 0) AS "{name}@0";),
    each(names, coalesce(s."{name}@level", 0) AS "{name}@level";),
    c.code AS "#class",
    coalesce(s."#equivalence", 0) AS "#equivalence",
    each(some, s."#stays"; TRUE) AS "#stays",
    sum(s."#records")::BIGINT AS "#records"
FROM (
    {shown}
) AS s
joins(names, LEFT JOIN "release_lookup"."{name}" AS l{n} ON s."{name}@value" = l{n}.value;)
JOIN released_class_values AS c ON s.class_value IS NOT DISTINCT FROM c.value
GROUP BY ALL
