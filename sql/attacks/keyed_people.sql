-- How many people of the register have a record in the table that is open as release.
-- One row: their number, people.
-- Reads: register_people, release
-- Binds: key (column)
-- Result: people.
-- NULL: a key that is NULL is found nowhere.
SELECT count(*) AS people
FROM register_people AS p
WHERE EXISTS (SELECT 1 FROM release WHERE p."key" = release.key::VARCHAR)
