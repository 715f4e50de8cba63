-- What a column shows of which an engine counted the values, all or the frequent ones.
-- One row: a label, or a value that enough records hold, by falling number of records; one without where there is none.
-- Reads: the values that an engine counted
-- Binds: common (table), $minimum (value), $most (value), $labels (value), $others (value), $records (value)
-- Result: as of release/shown_values.sql; $others are values that the engine did not list, $records those of the release.
-- NULL: is a value of its own.
WITH judged AS (
    SELECT
        value,
        value::VARCHAR AS text,
        "#records" AS records,
        "#records" >= $minimum
        OR (value IS NOT NULL AND value::VARCHAR IN (SELECT unnest($labels::VARCHAR[]))) AS named
    FROM common
), together AS (
    SELECT
        count(*) FILTER (WHERE named) AS all_named,
        coalesce(sum(records) FILTER (WHERE named), 0)::BIGINT AS named_records,
        (min(value) FILTER (WHERE named))::VARCHAR AS least,
        (max(value) FILTER (WHERE named))::VARCHAR AS largest,
        count(*) FILTER (WHERE NOT named) + $others::BIGINT AS others
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
    $records::BIGINT - named_records AS other_records
FROM judged
CROSS JOIN together
ORDER BY named DESC, records DESC, value
LIMIT $most
