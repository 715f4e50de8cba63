-- The persons who have more records than are used, each with the last hash of a row that is used.
-- One row: a person with more than $at_most records; the hashes of others are not kept, which bounds the table.
-- Reads: source_unbounded, in two scans
-- Binds: person (column), hashed (list), $at_most (value)
-- Result: temporary table source_hashes: entity; last, the greatest of the least $at_most hashes; room, how many rows of
--   that hash are used.
-- NULL: room is NULL where all rows of the last hash are used. Rows without a person are in no group.
CREATE OR REPLACE TEMPORARY TABLE source_hashes AS
SELECT
    entity,
    list_extract(least, $at_most) AS last,
    CASE
        WHEN list_extract(least, $at_most) = list_extract(least, $at_most + 1)
            THEN $at_most + 1 - list_position(least, list_extract(least, $at_most))
    END AS room
FROM (
    SELECT
        records.person AS entity,
        min(hash(each(hashed, {value})), $at_most + 1) AS least
    FROM source_unbounded AS records
    WHERE records.person IN (
        SELECT person
        FROM source_unbounded
        GROUP BY person
        HAVING count(*) > $at_most
    )
    GROUP BY records.person
) AS persons
