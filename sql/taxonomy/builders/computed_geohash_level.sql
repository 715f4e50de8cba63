-- One level of a geohash taxonomy: the first $kept characters of the hash.
-- One row: a value.
-- Reads: computed (value, hash)
-- Binds: computed (table), $kept (value)
-- Result: label; text that is no position is (not a position).
-- NULL: stays NULL.
SELECT CASE WHEN value IS NOT NULL THEN coalesce(left(hash, $kept), '(not a position)') END AS label
FROM computed
