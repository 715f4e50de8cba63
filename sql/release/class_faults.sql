-- What keeps a table of class assignments from giving each record of the source one class.
-- One row: the whole table beside the whole source.
-- Reads: keyed_set, assigned_keys
-- Binds: source_key (column)
-- Result: no_key, no_class (lines of the table), repeated (keys that stand in several lines), unknown (keys that no
--   record has), unkeyed (records without a key), ambiguous (keys that several records have), unassigned (records
--   with a key that the table lacks).
-- NULL: is no key and no class; a key that is no value of the source's type is one that no record has.
WITH held AS (
    SELECT source_key AS key, sum("#records")::BIGINT AS records
    FROM keyed_set
    GROUP BY source_key
), assigned AS (
    SELECT key, count(*) AS lines
    FROM assigned_keys
    WHERE key IS NOT NULL
    GROUP BY key
), compared AS (
    SELECT
        coalesce(held.records, 0) AS records,
        coalesce(assigned.lines, 0) AS lines,
        held.records IS NOT NULL AND held.key IS NULL AS unkeyed
    FROM held
    FULL JOIN assigned ON held.key = assigned.key
), written AS (
    SELECT
        count(*) FILTER (WHERE written IS NULL) AS no_key,
        count(*) FILTER (WHERE class IS NULL) AS no_class,
        count(DISTINCT written) FILTER (WHERE key IS NULL) AS no_value
    FROM assigned_keys
)
SELECT
    any_value(written.no_key) AS no_key,
    any_value(written.no_class) AS no_class,
    count(*) FILTER (WHERE lines > 1) AS repeated,
    count(*) FILTER (WHERE records = 0) + any_value(written.no_value) AS unknown,
    coalesce(sum(records) FILTER (WHERE unkeyed), 0)::BIGINT AS unkeyed,
    count(*) FILTER (WHERE records > 1 AND NOT unkeyed) AS ambiguous,
    coalesce(sum(records) FILTER (WHERE lines = 0 AND NOT unkeyed), 0)::BIGINT AS unassigned
FROM compared
CROSS JOIN written
