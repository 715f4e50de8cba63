-- How many persons have more records of the last hash that is used than there is room for.
-- One row: the persons who have more records than are used.
-- Reads: source_hashes (one row a person)
-- NULL: room is NULL where all records of that hash are used, and is not counted.
SELECT count(room) AS crowded
FROM source_hashes
