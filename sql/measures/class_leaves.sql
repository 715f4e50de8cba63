-- Counted records as leaf codes and class.
-- One row: one of the table, such as a distinct combination of quasi-identifier leaves and class.
-- Reads: a table that holds the codes
-- Binds: leaves (columns), ordered (columns), coded (table)
-- Result: the leaf codes; class_code; records; in the order of ordered.
-- NULL: is code 0, a value of its own, in leaves and class.
SELECT leaves, "#class" AS class_code, "#records"::BIGINT AS records
FROM coded
ORDER BY ordered
