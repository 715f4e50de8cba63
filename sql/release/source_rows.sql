-- The rows of a release that an engine writes from the records of a source and from lookups of what they show.
-- One row: a record.
-- Reads: origin, the records; a view for each lookup
-- Binds: origin (table), columns (list), labelled (list), combined (list)
-- Result: the columns of the release. What stops the statement for a value without a label stands in the column's
--   expression; a record whose combination has no label is left out.
-- NULL: shows NULL, or is a value of its own in a combination.
SELECT each(columns, {shown} AS "{name}")
FROM origin AS s
joins(labelled, LEFT JOIN "{view}" AS l{place} ON s."{key}" = l{place}."key_0";)
joins(combined, JOIN "{view}" AS l{place} ON all_of(keys, {alike});)
