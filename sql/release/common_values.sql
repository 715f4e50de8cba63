-- What a column that an engine keeps as it is shows, of what enough records hold.
-- One row: such a value, by falling number of records.
-- Reads: the values that an engine counted
-- Binds: common (table), $most (value), $others (value)
-- Result: text; records; named, always true; how many are named, the least and the largest of them; how many others.
-- NULL: is a value of its own.
SELECT
    value::VARCHAR AS text,
    "#records" AS held_records,
    true AS named,
    count(*) OVER () AS all_named,
    (min(value) OVER ())::VARCHAR AS least,
    (max(value) OVER ())::VARCHAR AS largest,
    $others::BIGINT AS others
FROM common
ORDER BY "#records" DESC, value
LIMIT $most
