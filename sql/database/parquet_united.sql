-- The records of Parquet files with other columns or types, as one table.
-- One row: a record.
-- Reads: the readers of the files, a group of equal columns and types after the other
-- Binds: groups (list)
-- Result: all columns, each of the one type that holds the values of all files.
-- NULL: stays NULL; a column that a file lacks is NULL there.
united(groups, SELECT each(read, {value} AS "{name}")
FROM {reader})
