-- One row: one leaf, its value with its own type, then its label at each level.
-- Reads: exported
-- Binds: fields (columns), $path (value)
-- Result: a Parquet file with the leaf first, in the order of the leaves' codes.
-- NULL: stays NULL.
COPY (
    SELECT fields
    FROM exported
    ORDER BY "#node", "#leaf"
) TO $path (FORMAT parquet, USE_TMP_FILE false)
