-- What a column that is kept as it is shows, with its number of records: those values that enough records hold.
-- One row: such a value, by falling number of records; a single row without one where there is none.
-- Reads: the temp view release
-- Binds: kept (column), $minimum (value), $most (value)
-- Result: text; records; named, whether there is one; of all that are named how many there are, the least and the
-- largest; and how many others there are.
-- NULL: is a value of its own.
WITH counted AS (
    SELECT release.kept AS value, count(*) AS records, count(*) >= $minimum AS named
    FROM release
    GROUP BY release.kept
)
SELECT
    CASE WHEN named THEN value::VARCHAR END AS text,
    CASE WHEN named THEN records END AS held_records,
    named,
    count(*) FILTER (WHERE named) OVER () AS all_named,
    (min(value) FILTER (WHERE named) OVER ())::VARCHAR AS least,
    (max(value) FILTER (WHERE named) OVER ())::VARCHAR AS largest,
    count(*) FILTER (WHERE NOT named) OVER () AS others
FROM counted
ORDER BY named DESC, records DESC, value
LIMIT $most
