-- The records of the first people of a register in the table that is open as release.
-- One row: a record.
-- Reads: register_people, release
-- Binds: target (table), key (column), columns (list), $limit (value)
-- Result: temporary table target, of the persons up to $limit: person; record, a number; the columns as text, a_1 by the
--   number of their attribute; records, 1.
-- NULL: stays NULL; a key that is NULL is found nowhere.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    p.person,
    row_number() OVER () AS record,
    each(columns, release."{name}"::VARCHAR AS a_{number};),
    1 AS records
FROM release
JOIN register_people AS p ON p."key" = release.key::VARCHAR
WHERE p.person <= $limit
