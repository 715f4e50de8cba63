-- Whether the joins of a script give each record of the source once; it stops where they do not.
-- One row: the only one.
-- Reads: the relation, and the rows that are made of it.
-- Binds: relation (field), rows (field), stopping (field)
-- Result: row_count_guard.
SELECT
    CASE WHEN counted.records = counted.released THEN 'every record once' ELSE {stopping} END AS row_count_guard
FROM (
    SELECT
        (SELECT count(*) FROM {relation}) AS records,
        (SELECT count(*) FROM {rows} AS joined) AS released
) AS counted
