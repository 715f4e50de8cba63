-- What the labels of one level of a column stand for: its common values, and how many rare ones there are.
-- One row: a label that a record stands under.
-- Reads: the column's lookup, the frequency set of the records that are released
-- Binds: raw_value (column), level_label (column), lookup (table), staying (table), $minimum (value), $most (value)
-- Result: group_label; members, the most frequent of those that at least $minimum records hold, as text; common and
-- rare, how many there are of either; least and largest of the common ones.
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
        row_number() OVER (PARTITION BY group_label, is_common ORDER BY records DESC, value) AS place
    FROM placed
)
SELECT
    group_label,
    array_agg(value::VARCHAR ORDER BY place) FILTER (WHERE is_common AND place <= $most) AS members,
    count(*) FILTER (WHERE is_common) AS common,
    count(*) FILTER (WHERE NOT is_common) AS rare,
    (min(value) FILTER (WHERE is_common))::VARCHAR AS least,
    (max(value) FILTER (WHERE is_common))::VARCHAR AS largest
FROM ranked
GROUP BY group_label
ORDER BY group_label
