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
), together AS (
    SELECT
        count(*) FILTER (WHERE named) AS all_named,
        (min(value) FILTER (WHERE named))::VARCHAR AS least,
        (max(value) FILTER (WHERE named))::VARCHAR AS largest,
        count(*) FILTER (WHERE NOT named) AS others
    FROM counted
)
SELECT
    CASE WHEN named THEN value::VARCHAR END AS text,
    CASE WHEN named THEN records END AS held_records,
    named,
    all_named,
    least,
    largest,
    others
FROM counted
CROSS JOIN together
ORDER BY named DESC, records DESC, value
LIMIT $most
