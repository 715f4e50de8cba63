-- Writes the rows of a taxonomy, or of what a rule makes of values, to a CSV file.
-- One row of the file: a leaf with its label at each level, or a value with what the rule makes of it.
-- Reads: exported
-- Binds: fields (columns), $path (value), $sep (value), $header (value)
-- Result: a CSV file of the fields as text, in the order of "#node" and "#leaf".
-- NULL: an empty field without quotes; an empty text has quotes.
COPY (
    SELECT fields
    FROM exported
    ORDER BY "#node", "#leaf"
) TO $path (FORMAT csv, DELIMITER $sep, HEADER $header, USE_TMP_FILE false)
