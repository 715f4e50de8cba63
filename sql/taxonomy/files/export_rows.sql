-- One row: one leaf, its value as text, then its label at each level.
-- Reads: exported
-- Binds: fields (columns), $path (value), $sep (value), $header (value)
-- Result: a CSV file with the leaf first, in the order of the leaves' codes.
-- NULL: an empty field without quotes; an empty text has quotes.
COPY (
    SELECT fields
    FROM exported
    ORDER BY "#node", "#leaf"
) TO $path (FORMAT csv, DELIMITER $sep, HEADER $header, USE_TMP_FILE false)
