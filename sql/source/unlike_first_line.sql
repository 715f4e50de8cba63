-- How often the first line of a CSV file comes again, and how many values of some columns a pattern does not match.
-- One row: all lines of the file.
-- Reads: the reader of all lines as texts, in one scan
-- Binds: file (list), fields (list), proving (list), $pattern (value)
-- Result: the lines that are those fields, the first one included; for each proving column, how many values are unlike.
-- NULL: is no field, and is not counted as unlike.
SELECT
    count_if(all_of(fields, trim(c{n}) = {text})),
    each(proving, count_if(NOT regexp_full_match(c{place}, $pattern));)
FROM (
    SELECT *
    FROM each(file, {reader})
) AS lines(each(fields, c{n}))
