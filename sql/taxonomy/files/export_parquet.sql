-- Writes the rows of a taxonomy, or of what a rule makes of values, to a Parquet file.
-- One row of the file: a leaf with its label at each level, or a value with what the rule makes of it.
-- Reads: exported
-- Binds: fields (columns), $path (value)
-- Result: a Parquet file of the fields, each with its own type, in the order of "#node" and "#leaf".
-- NULL: stays NULL.
COPY (
    SELECT fields
    FROM exported
    ORDER BY "#node", "#leaf"
) TO $path (FORMAT parquet, USE_TMP_FILE false)
