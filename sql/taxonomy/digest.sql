-- The digest of a taxonomy's content, whatever the order of its rows.
-- One row: the whole table.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table)
-- Result: digest, the number of rows and a hash over all of them, as text; content, the same of hashes of their hashes,
--   which no two rows with one change cancel out of.
-- NULL: hashed like any value.
SELECT
    count(*) || ':' || coalesce(bit_xor(hash(taxonomy)), 0) AS digest,
    count(*) || ':' || coalesce(bit_xor(hash(hash(taxonomy))), 0) AS content
FROM taxonomy
