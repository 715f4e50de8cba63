-- Effect: adds the rows of a table of another database to one of this.
-- Reads: the table
-- Binds: given (table), filled (table)
-- NULL: stays NULL.
INSERT INTO filled
SELECT *
FROM given
