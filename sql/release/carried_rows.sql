-- Effect: fills a table of a new database file with the rows that the replaced one has.
-- Reads: the replaced table
-- Binds: fresh_table (table), replaced_table (table), carried (list)
-- NULL: stays NULL.
INSERT INTO fresh_table (each(carried, "{name}"))
SELECT each(carried, "{name}")
FROM replaced_table
