-- The values of a column as text, shorter ones filled up in front: 2134 becomes 02134.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table), given (list)
-- Result: value, text (at least the given length; longer values stay as they are).
-- NULL: stays NULL.
SELECT value, each(given, lpad(text, CAST(greatest(length(text), {length}) AS INTEGER), {pad}) AS text)
FROM (SELECT value, CAST(value AS VARCHAR) AS text FROM held) AS texts
