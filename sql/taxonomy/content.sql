-- The content of a taxonomy in one text, whatever the order of its rows; the same in each version of DuckDB.
-- One row: the whole table.
-- Reads: taxonomy."<column>"
-- Binds: taxonomy (table)
-- Result: the number of rows and the SHA-256 of the hashes of all rows, as text.
-- NULL: a JSON null, which no value is written as.
WITH hashed AS (
    SELECT sha256(CAST(to_json(taxonomy) AS VARCHAR)) AS line
    FROM taxonomy
)
SELECT count(*) || ':' || sha256(coalesce(string_agg(line, '' ORDER BY line), '')) AS content
FROM hashed
