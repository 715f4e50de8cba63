-- How many values of a column have other numbers of records in the release than in what was swapped.
-- One row: the column.
-- Reads: release_rows, swap_set
-- Binds: swapped_value (column)
-- Result: a count, which is 0.
-- NULL: is a value.
SELECT count(*) AS changed
FROM (
    SELECT sum(records) AS difference
    FROM (
        SELECT swapped_value, "#records" AS records
        FROM release_rows
        UNION ALL
        SELECT swapped_value, -"#records"
        FROM swap_set
    )
    GROUP BY swapped_value
)
WHERE difference <> 0
