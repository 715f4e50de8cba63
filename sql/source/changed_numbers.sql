-- How many texts of each column write a number that another would stand for in the type of the column.
-- One row: all files.
-- Reads: the reader of the files, all columns as text, in one scan
-- Binds: files (list), columns (list), $decimal (value), $thousands (value)
-- NULL: is no number, and not counted.
SELECT each(columns, count_if(
    TRY_CAST(TRY_CAST(replace(replace("{name}", $thousands, ''), $decimal, '.') AS {kind}) AS DOUBLE)
    <> TRY_CAST(replace(replace("{name}", $thousands, ''), $decimal, '.') AS DOUBLE)
))
FROM each(files, {reader})
