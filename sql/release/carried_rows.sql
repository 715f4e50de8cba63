-- Effect: fills a table of a new database file with the rows that the replaced one has.
-- Reads: the replaced table
-- Binds: fresh_table (table), replaced_table (table), columns (list)
-- NULL: stays NULL.
INSERT INTO fresh_table (each(columns, "{name}"))
SELECT each(columns, "{name}")
FROM replaced_table
