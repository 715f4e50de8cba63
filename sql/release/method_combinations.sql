-- The frequency set of the quasi-identifiers, as a method reads it.
-- One row: a combination of their leaves, in the order of its number.
-- Reads: combined_set
-- Binds: leaves (columns)
-- Result: the leaf codes; records.
-- NULL: is code 0, a value of its own.
SELECT leaves, sum("#records")::BIGINT AS records
FROM combined_set
GROUP BY "#combination", leaves
ORDER BY "#combination"
