-- How many records have one of some texts in each of some columns.
-- One row: the whole source.
-- Reads: source, in one scan
-- Binds: looked_at (columns), $texts (value)
-- Result: the records (BIGINT) of each column, in the order of the columns.
-- NULL: is none of the texts.
SELECT count_if(list_contains($texts::VARCHAR[], CAST(COLUMNS(*) AS VARCHAR)))
FROM (SELECT looked_at FROM source) AS block
