-- Which of the values that are named for a sensitive attribute occur.
-- One row: a named value that occurs.
-- Reads: a frequency set
-- Binds: sensitive (column), frequency_set (table), $named (value), $null_named (value)
-- Result: value, as text.
-- NULL: is named by $null_named.
SELECT DISTINCT sensitive::VARCHAR AS value
FROM frequency_set
WHERE CASE WHEN sensitive IS NULL THEN $null_named ELSE list_contains($named::VARCHAR[], sensitive::VARCHAR) END
ORDER BY value
