-- Adds the distance patterns of the pairs whose first row is in a block, as keys of bits: one bit an attribute and level,
-- set where the codes of the two rows differ, since the sum of their xor and of ones carries into it there.
-- One row: a key of the block's rows with later ones, or of those within the block.
-- Reads: packed_records
-- Binds: keys (list), counted (list), $first (value), $last (value)
-- Result: rows of pattern_blocks; pairs are those of records where rows stand for several (counted), else of rows.
-- NULL: missed, which is not known yet.
INSERT INTO pattern_blocks
SELECT
    each(keys, bits_of(words, ((xor(x.w{word}, y.w{word}) + {ones}) & {flags})) AS key_{n}),
    each(counted, sum(x."{name}" * y."{name}")::BIGINT; count(*)) AS pairs,
    NULL::BIGINT AS missed
FROM (SELECT * FROM packed_records WHERE id BETWEEN $first AND $last) AS x
CROSS JOIN (SELECT * FROM packed_records WHERE id > $last) AS y
GROUP BY ALL
UNION ALL
SELECT
    each(keys, bits_of(words, ((xor(x.w{word}, y.w{word}) + {ones}) & {flags})) AS key_{n}),
    each(counted, sum(x."{name}" * y."{name}")::BIGINT; count(*)) AS pairs,
    NULL::BIGINT AS missed
FROM (SELECT * FROM packed_records WHERE id BETWEEN $first AND $last) AS x
JOIN (SELECT * FROM packed_records WHERE id BETWEEN $first AND $last) AS y ON x.id < y.id
GROUP BY ALL
