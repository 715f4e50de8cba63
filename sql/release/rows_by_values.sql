-- The rows of a release by values that keeps columns as they are, from the source.
-- One row: a record.
-- Reads: source, what the values of each column show, the set of what stays where some records left
-- Binds: columns (list), valued (list), some (list), alike (list), ordered (list)
-- Result: the columns; in the order of their values, unless ordered is empty. Records stay that are alike with the set.
-- NULL: a value of its own.
SELECT each(columns, {shown} AS "{name}")
FROM source AS s
joins(valued, JOIN "{name} shown" AS w{place} ON s."{name}" IS NOT DISTINCT FROM w{place}.key;)
joins(some, SEMI JOIN "{set}" AS h ON all_of(alike, {one} IS NOT DISTINCT FROM h."{name}@value"; TRUE);)
ORDER BY each(ordered, {key};)
