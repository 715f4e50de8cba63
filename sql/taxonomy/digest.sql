-- The digest of a taxonomy's content, whatever the order of its rows.
-- One row: the whole table.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table)
-- Result: the number of rows and a hash over all of them, as text.
-- NULL: hashed like any value.
SELECT count(*) || ':' || coalesce(bit_xor(hash(taxonomy)), 0) AS digest
FROM taxonomy
