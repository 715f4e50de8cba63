-- What the labels of one level of a column stand for: its common values.
-- One row: a label that a record stands under.
-- Reads: the column's lookup, the frequency set of the records that are released
-- Binds: raw_value (column), level_label (column), lookup (table), staying (table), $minimum (value), $most (value)
-- Result: group_label; members, the first of those that at least $minimum records hold, in their order, as text;
-- common, how many there are; least and largest of them.
-- NULL: is a value of its own, and no member.
WITH held AS (
    SELECT staying.raw_value AS value, sum(staying."#records") AS records
    FROM staying
    GROUP BY staying.raw_value
), placed AS (
    SELECT lookup.level_label::VARCHAR AS group_label, held.value, held.records, held.records >= $minimum AS is_common
    FROM held
    INNER JOIN lookup ON lookup.value = held.value
    WHERE lookup.level_label IS NOT NULL
), ranked AS (
    SELECT
        group_label,
        value,
        is_common,
        row_number() OVER (PARTITION BY group_label, is_common ORDER BY value) AS place
    FROM placed
)
SELECT
    group_label,
    array_agg(value::VARCHAR ORDER BY place) FILTER (WHERE is_common AND place <= $most) AS members,
    count(*) FILTER (WHERE is_common) AS common,
    (min(value) FILTER (WHERE is_common))::VARCHAR AS least,
    (max(value) FILTER (WHERE is_common))::VARCHAR AS largest
FROM ranked
GROUP BY group_label
ORDER BY group_label
