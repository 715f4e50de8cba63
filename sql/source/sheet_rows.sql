-- The rows of a sheet that have a value, with whole numbers in the columns that hold no others.
-- One row: a row of the sheet.
-- Reads: the reader of the sheet
-- Binds: sheet (list), columns (list), read (list)
-- NULL: stays NULL; a row of NULL alone is left out.
SELECT each(read, {value} AS "{name}")
FROM each(sheet, {reader})
WHERE any_of(columns, "{name}" IS NOT NULL)
