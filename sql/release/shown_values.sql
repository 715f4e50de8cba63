-- What a column of a release shows, with its number of records: labels, and those values that enough records hold.
-- One row: such a label or value, by falling number of records; a single row without one where there is none.
-- Reads: the written rows
-- Binds: shown (column), written (table), $minimum (value), $most (value), $labels (value)
-- Result: text; records; named, whether there is one; of all that are named how many there are, their records, the least
-- and the largest; and how many others there are, with their records. Texts that are numbers have the order of numbers.
-- NULL: is a value of its own.
WITH counted AS (
    SELECT written.shown AS value, count(*) AS records
    FROM written
    GROUP BY written.shown
), judged AS (
    SELECT
        value,
        value::VARCHAR AS text,
        TRY_CAST(value::VARCHAR AS DOUBLE) AS number,
        records,
        records >= $minimum
        OR (value IS NOT NULL AND value::VARCHAR IN (SELECT unnest($labels::VARCHAR[]))) AS named
    FROM counted
), together AS (
    SELECT
        count(*) FILTER (WHERE named) AS all_named,
        coalesce(sum(records) FILTER (WHERE named), 0)::BIGINT AS named_records,
        coalesce(min_by(text, number) FILTER (WHERE named), (min(value) FILTER (WHERE named))::VARCHAR) AS least,
        coalesce(max_by(text, number) FILTER (WHERE named), (max(value) FILTER (WHERE named))::VARCHAR) AS largest,
        count(*) FILTER (WHERE NOT named) AS others,
        coalesce(sum(records) FILTER (WHERE NOT named), 0)::BIGINT AS other_records
    FROM judged
)
SELECT
    CASE WHEN named THEN text END AS text,
    CASE WHEN named THEN records END AS held_records,
    named,
    all_named,
    named_records,
    least,
    largest,
    others,
    other_records
FROM judged
CROSS JOIN together
ORDER BY named DESC, records DESC, number NULLS LAST, value
LIMIT $most
