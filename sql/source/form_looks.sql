-- How many texts of a column are numbers of one form, such as 18.582,97.
-- One row: all records of the column.
-- Reads: a frequency set of the column, with a column "#records"
-- Binds: held_value (column), counted (table), $markers (value), $form (value)
-- Result: records (BIGINT), without those whose value is a marker of no value.
-- NULL: left out.
SELECT coalesce(sum("#records"), 0)::BIGINT AS records
FROM counted
WHERE
    NOT list_contains($markers::VARCHAR[], lower(trim(CAST(held_value AS VARCHAR))))
    AND regexp_full_match(CAST(held_value AS VARCHAR), $form)
