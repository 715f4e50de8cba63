-- A number that changes when what was released changes, and does not change with the order of rows.
-- One row: the whole of release_set.
-- Reads: release_set
-- NULL: is hashed as a value of its own.
SELECT count(*) AS combinations, coalesce(sum(hash(release_set)::HUGEINT), 0)::VARCHAR AS digest
FROM release_set
