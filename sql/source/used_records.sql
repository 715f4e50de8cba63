-- The records that are used of each person: all up to the last hash, and of that hash as many as there is room for.
-- One row: a record; where some persons have no room for all rows of that hash, crowded, another scan looks for these.
-- Reads: source_unbounded, source_hashes (one row a person)
-- Binds: person (column), hashed (list), crowded (list)
-- Result: the view source.
-- NULL: a person who is not in source_hashes has no last hash: all records are used.
CREATE OR REPLACE TEMPORARY VIEW source AS
SELECT records.*
FROM source_unbounded AS records
LEFT JOIN source_hashes AS hashes ON records.person = hashes.entity
WHERE
    hashes.last IS NULL
    OR hash(each(hashed, {value})) < hashes.last
    OR (hash(each(hashed, {value})) = hashes.last AND hashes.room IS NULL)
joins(crowded, UNION ALL
SELECT records.*
FROM source_unbounded AS records
INNER JOIN source_hashes AS hashes ON records.person = hashes.entity
WHERE hash(each(hashed, {value})) = hashes.last
QUALIFY row_number() OVER (PARTITION BY records.person) <= hashes.room;)
