-- Whether all numbers of a column are whole, and how long they are then as text, in characters.
-- One row: the column.
-- Reads: looked_at
-- Binds: held (column), looked_at (table)
-- Result: whole (BOOLEAN), shortest and longest (BIGINT; NULL where a number is not whole).
-- NULL: left out.
WITH numbers AS (
    SELECT TRY_CAST(held AS HUGEINT) AS number, held
    FROM looked_at
    WHERE held IS NOT NULL
)
SELECT
    bool_and(coalesce(number = held, FALSE)) AS whole,
    min(length(CAST(number AS VARCHAR))) AS shortest,
    max(length(CAST(number AS VARCHAR))) AS longest
FROM numbers
