-- How many rows of a sheet have no value, and of each column of numbers how many are not whole.
-- One row: the whole sheet.
-- Reads: the reader of the sheet, in one scan
-- Binds: sheet (list), columns (list), numbers (list)
-- Result: the rows without a value; for each column of numbers, how many are not whole: one too large to be told from
--   the next (from 2^53 on) is not whole.
-- NULL: is no value, and whole.
SELECT
    count_if(all_of(columns, "{name}" IS NULL)),
    each(numbers, count_if("{name}" <> trunc("{name}") OR abs("{name}") >= 9007199254740992);)
FROM each(sheet, {reader})
