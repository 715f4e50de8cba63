-- Three values of one column for made-up example rows, with what a rule shows in their place. Each is a value, or a group
-- of values, that k records hold: a sixth, a half and five sixths of the way through the records of all such values.
-- One row: a place of the three.
-- Reads: the lookup of one column
-- Binds: lookup (table), picked (column), before (column), shown (column), after (column), $k (value)
-- Result: place (0 to 2), value (the text of the value or group picked), label (the node over it that the rule shows, or
--   NULL if that names a value that fewer than k records hold), over_records (of that node); no row where no value or
--   group is held by k records.
-- NULL: has no row in a lookup; a value that the taxonomy lacks is in no node.
WITH held AS (
    SELECT
        picked AS pick,
        shown AS node,
        before::VARCHAR AS shown_text,
        after::VARCHAR AS name,
        lookup.value::VARCHAR AS value,
        lookup.records
    FROM lookup
    WHERE picked IS NOT NULL AND shown IS NOT NULL
), named AS (
    SELECT
        pick,
        shown_text,
        name,
        records,
        bool_or(records < $k AND (shown_text = value OR starts_with(shown_text, value || ' +'))) OVER (PARTITION BY pick) AS rare,
        bool_or(records < $k AND (name = value OR starts_with(name, value || ' +'))) OVER (PARTITION BY node) AS unsafe,
        sum(records) OVER (PARTITION BY node) AS over_records
    FROM held
), picks AS (
    SELECT
        pick,
        min(shown_text) AS shown_text,
        min(CASE WHEN unsafe THEN NULL ELSE name END) AS label,
        sum(records) AS records,
        min(over_records)::BIGINT AS over_records
    FROM named
    WHERE NOT coalesce(rare, false)
    GROUP BY pick
    HAVING sum(records) >= $k
), running AS (
    SELECT
        pick,
        shown_text,
        label,
        over_records,
        sum(records) OVER (ORDER BY pick) AS upto,
        sum(records) OVER () AS total
    FROM picks
)
SELECT places.place, running.shown_text AS value, running.label, running.over_records
FROM running
JOIN (VALUES (0), (1), (2)) AS places (place) ON 6 * running.upto >= (2 * places.place + 1) * running.total
QUALIFY row_number() OVER (PARTITION BY places.place ORDER BY running.pick) = 1
ORDER BY places.place
