-- The digest of how a taxonomy groups values, whatever the order of its rows and the words of its labels.
-- One row: the whole table.
-- Reads: taxonomy."<column>"
-- Binds: codes (columns), taxonomy (table)
-- Result: the number of values and a hash over the values with their nodes at all levels, as text.
-- NULL: hashed like any value.
SELECT count(*) || ':' || coalesce(bit_xor(hash(row(value, codes))), 0) AS tree
FROM taxonomy
