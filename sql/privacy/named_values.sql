-- Which of the values that are named for a sensitive attribute occur.
-- One row: a named value that occurs.
-- Reads: a frequency set
-- Binds: sensitive (column), frequency_set (table), $named (value), $null_named (value)
-- Result: value, as text.
-- NULL: is named by $null_named.
SELECT DISTINCT sensitive::VARCHAR AS value
FROM frequency_set
WHERE coalesce(list_contains($named::VARCHAR[], sensitive::VARCHAR), $null_named)
ORDER BY value
