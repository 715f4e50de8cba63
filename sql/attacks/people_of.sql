-- The people of the records of a table.
-- One row: a person, in order.
-- Reads: records_of
-- Binds: records_of (table)
-- Result: person.
SELECT DISTINCT t.person
FROM records_of AS t
ORDER BY t.person
