-- How many texts of JSON files are no values of the type that their column may have, in each column that is asked about.
-- One row: all files.
-- Reads: the reader of the files, these columns as text, in one scan
-- Binds: files (list), written (list), numbers (list)
-- Result: of each written column, the texts that are not written as one of its type, or that DuckDB does not take for
--   one; of each column of numbers, the whole ones that a DOUBLE changes, and those beyond it.
-- NULL: fits any type.
SELECT
    each(written, count_if(
        "{name}" IS NOT NULL
        AND (NOT regexp_full_match("{name}", {pattern}) OR TRY_CAST("{name}" AS {kind}) IS NULL)
    );),
    each(numbers, count_if(
        (
            regexp_full_match("{name}", '-?[0-9]+')
            AND (
                TRY_CAST(TRY_CAST("{name}" AS DOUBLE) AS HUGEINT) IS NULL
                OR TRY_CAST(TRY_CAST("{name}" AS DOUBLE) AS HUGEINT) IS DISTINCT FROM TRY_CAST("{name}" AS HUGEINT)
            )
        )
        OR (regexp_full_match("{name}", '.*[0-9].*') AND isinf(TRY_CAST("{name}" AS DOUBLE)))
    );)
FROM each(files, {reader})
