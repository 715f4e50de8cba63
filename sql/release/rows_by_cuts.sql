-- The rows of a release by cuts that keeps columns as they are, from the source.
-- One row: a record.
-- Reads: source, the cut of each column, the set of the records that stay where some left
-- Binds: columns (list), cuts (list), some (list), alike (list), ordered (list)
-- Result: the columns; in the order of their values, unless ordered is empty. Records stay by their values in columns alike.
-- NULL: a value of its own.
SELECT each(columns, {shown} AS "{name}")
FROM source AS s
joins(cuts, JOIN "{name} cut" AS c{place} ON s."{name}" IS NOT DISTINCT FROM c{place}.value;)
joins(some, SEMI JOIN "{set}" AS h ON all_of(alike, s."{name}" IS NOT DISTINCT FROM h."{name}@value"; TRUE);)
ORDER BY each(ordered, {key};)
