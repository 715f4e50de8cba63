-- What a column of a release shows, with its number of records: labels, and those values that enough records hold.
-- One row: such a label or value, by falling number of records; a single row without one where there is none.
-- Reads: the grouped release
-- Binds: shown (column), grouped (table), $minimum (value), $most (value), $labels (value)
-- Result: text; records; named, whether there is one; of all that are named how many there are, the least and the
-- largest; and how many others there are.
-- NULL: is a value of its own.
WITH counted AS (
    SELECT grouped.shown AS value, sum(grouped."#records")::BIGINT AS records
    FROM grouped
    GROUP BY grouped.shown
), judged AS (
    SELECT
        value,
        records,
        records >= $minimum
        OR (value IS NOT NULL AND value::VARCHAR IN (SELECT unnest($labels::VARCHAR[]))) AS named
    FROM counted
), together AS (
    SELECT
        count(*) FILTER (WHERE named) AS all_named,
        (min(value) FILTER (WHERE named))::VARCHAR AS least,
        (max(value) FILTER (WHERE named))::VARCHAR AS largest,
        count(*) FILTER (WHERE NOT named) AS others
    FROM judged
)
SELECT
    CASE WHEN named THEN value::VARCHAR END AS text,
    CASE WHEN named THEN records END AS held_records,
    named,
    all_named,
    least,
    largest,
    others
FROM judged
CROSS JOIN together
ORDER BY named DESC, records DESC, value
LIMIT $most
