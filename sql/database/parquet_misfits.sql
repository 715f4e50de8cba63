-- How many values of some Parquet files do not come back unchanged from another type, by column and type.
-- One row: all files.
-- Reads: the reader of the files, in one scan
-- Binds: files (list), asked (list)
-- NULL: comes back from any type.
-- No TRY_CAST, which in DuckDB 1.5 fails on days that are too far away for nanoseconds.
SELECT each(asked, count_if(TRY(CAST(CAST("{name}" AS {other}) AS {kind})) IS DISTINCT FROM "{name}"))
FROM each(files, {reader})
