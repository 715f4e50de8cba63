-- The first fault of an exported taxonomy of intervals, to refuse the file with its line.
-- One row: the first line that is not what it must be; none where all are.
-- Reads: interval_lines.
-- Result: line, fault (ragged, label, leaf, bound, two bounds, two leaves); no row where there is none.
-- NULL: a leaf or a bound that has a text and no value.
WITH first_of AS (
    SELECT
        path[1] AS label,
        min(line) AS line,
        arg_min(lower, line) AS lower,
        bool_or(lower IS NULL) AS has_open
    FROM interval_lines
    GROUP BY path[1]
),
faults AS (
    SELECT
        other.line,
        CASE
            WHEN other.size <> (SELECT mode(size) FROM interval_lines) OR other.size < 3 THEN 'ragged'
            WHEN list_contains(other.path, '') THEN 'label'
            WHEN other.leaf <> '' AND other.value IS NULL THEN 'leaf'
            WHEN other.bound <> '' AND other.lower IS NULL THEN 'bound'
            WHEN other.lower IS DISTINCT FROM first_of.lower AND (other.lower IS NOT NULL OR first_of.has_open) THEN 'two bounds'
            WHEN other.value IS NOT NULL AND count(*) OVER (PARTITION BY other.value) > 1 THEN 'two leaves'
        END AS fault
    FROM interval_lines AS other
    INNER JOIN first_of ON first_of.label IS NOT DISTINCT FROM other.path[1]
)
SELECT
    line,
    fault
FROM faults
WHERE fault IS NOT NULL
ORDER BY line
LIMIT 1
