-- The values that have a path in a shipped taxonomy, whose rows are ranges of keys.
-- One row: a value with a path.
-- Reads: keyed (value, code, key)
-- Binds: ranges (list), limits (list), joined (list), only_listed (list), levels (list)
-- Result: value, position of its range in the list, level_1 and so on. ranges are one JSON text, a list of lists: thousands of
--   literals would take a second. limits say how long a code can be. The labels of each distinct key are looked up once, by
--   equality where all ranges are of a single key. With only_listed, keys outside all ranges have no path.
-- NULL: a value without a key has no path.
WITH fitting AS (
    SELECT value, key
    FROM keyed
    WHERE key IS NOT NULL AND all_of(limits, length(code) <= {longest}; TRUE)
),
listed AS (
    SELECT
        position,
        entry[1] AS first,
        entry[2] AS last,
        each(levels, entry[{entry}] AS level_{level})
    FROM each(ranges, unnest(from_json({text}, '[["VARCHAR"]]')) WITH ORDINALITY AS rows(entry, position))
),
paths AS (
    SELECT
        keys.key,
        listed.position,
        each(levels, {label} AS level_{level})
    FROM (SELECT DISTINCT key FROM fitting) AS keys
    joins(joined, LEFT JOIN listed ON {found})
    WHERE all_of(only_listed, listed.position IS NOT NULL; TRUE)
)
SELECT
    fitting.value,
    paths.position,
    each(levels, paths.level_{level})
FROM fitting
JOIN paths ON paths.key = fitting.key
