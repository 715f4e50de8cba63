-- Parquet files by their schemas, from their metadata alone.
-- One row: a schema, with all files that have it, in the order of their names; the first file of it comes first.
-- Reads: the metadata of the files
-- Binds: $files (value)
-- NULL: in what a schema does not say of an element; two schemas that do not say it are equal.
WITH elements AS (
    SELECT
        file_name,
        list(
            (name, num_children, duckdb_type, converted_type, logical_type, repetition_type = 'REPEATED')
            ORDER BY column_id
        ) AS held
    FROM parquet_schema($files)
    GROUP BY file_name
)
SELECT list(file_name ORDER BY file_name) AS files
FROM elements
GROUP BY held
ORDER BY min(file_name)
