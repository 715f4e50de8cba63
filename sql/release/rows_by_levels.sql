-- The rows of a release by a rule that keeps columns as they are, from the source.
-- One row: a record.
-- Reads: source, the lookups of the columns, numbered_set (q_1, ...) where some classes were removed
-- Binds: columns (list), lookups (list), some (list), alike (list), ordered (list)
-- Result: the columns; in the order of their values, unless ordered is empty. Columns alike are those of a class.
-- NULL: a value of its own.
SELECT each(columns, {shown} AS "{name}")
FROM source AS s
joins(lookups, LEFT JOIN "release_lookup"."{name}" AS l{place} ON s."{name}" = l{place}.value;)
joins(some, SEMI JOIN numbered_set AS kept ON all_of(alike, {label} IS NOT DISTINCT FROM kept."{called}"; TRUE);)
ORDER BY each(ordered, {key};)
