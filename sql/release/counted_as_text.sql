-- The combinations of what an engine counted, each once, by their values.
-- One row: a combination.
-- Reads: counted_release (its columns, "#records")
-- Binds: names (list)
-- Result: the columns, "#records".
-- NULL: a value of its own.
SELECT each(names, "{name}"), sum("#records")::BIGINT AS "#records"
FROM counted_release
GROUP BY each(names, "{name}")
ORDER BY each(names, "{name}")
