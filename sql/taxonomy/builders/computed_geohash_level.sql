-- Each level of a geohash taxonomy: the first characters of the hash, as many as it keeps.
-- One row: a value.
-- Reads: computed (value, hash)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on; text that is no position is (not a position).
-- NULL: stays NULL.
SELECT
    *,
    each(levels, CASE WHEN value IS NOT NULL THEN coalesce(left(hash, {kept}), '(not a position)') END AS label_{level})
FROM computed
