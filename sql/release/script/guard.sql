-- Whether the joins of a script give each record of the source once; it stops where they do not.
-- One row: the only one.
-- Reads: the relation, and the rows that are made of it.
-- Binds: guard (list)
-- Result: row_count_guard.
-- NULL: nothing is NULL.
united(guard, SELECT CASE WHEN counted.records = counted.released THEN 'every record once' {stop} END AS row_count_guard
FROM (
SELECT
(SELECT count(*) FROM {relation}) AS records,
(SELECT count(*) FROM {rows} AS joined) AS released
) AS counted)
