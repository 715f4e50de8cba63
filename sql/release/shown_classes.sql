-- How many equivalence classes of a release show what in a column.
-- One row: a text that the column shows.
-- Reads: the grouped release
-- Binds: alike (columns), shown (column), grouped (table)
-- Result: shown_text, classes.
-- NULL: is a value of its own.
SELECT shown::VARCHAR AS shown_text, count(*) AS classes
FROM (
    SELECT alike
    FROM grouped
    GROUP BY alike
) AS released
GROUP BY shown_text
ORDER BY shown_text
