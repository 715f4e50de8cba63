-- The lower bounds that give every leaf of an edited taxonomy its own path.
-- One row: neighbouring leaves of one interval that have the same path, or an interval that holds no leaf.
-- Reads: bounds."<column>", taxonomy."<column>"
-- Binds: bounds (table), taxonomy (table), paths (columns), kept_paths (columns), $same_levels (value)
-- Result: the table bounds."<column>": lower (that of the interval for its first leaves, else the first of the
--   leaves) and the path. With $same_levels, intervals without a leaf stay, with the path in kept_paths. Without it the
--   old paths do not fit any more: these intervals go, and the first row is open below.
-- NULL: a lower bound that is open.
CREATE OR REPLACE TABLE bounds AS
WITH numbered AS (
    SELECT bounds.lower, row_number() OVER (ORDER BY bounds.lower NULLS FIRST) AS place, bounds.kept_paths
    FROM bounds
),
placed AS (
    SELECT taxonomy.value, closed.lower, coalesce(closed.place, 1) AS place, row(taxonomy.paths) AS path
    FROM taxonomy
    ASOF LEFT JOIN (SELECT lower, place FROM numbered WHERE lower IS NOT NULL) AS closed
        ON taxonomy.value >= closed.lower
),
opening AS (
    SELECT
        value,
        lower,
        row_number() OVER (PARTITION BY place ORDER BY value) = 1 AS first_of_interval,
        row_number() OVER (ORDER BY value) = 1 AS first_of_all,
        path IS DISTINCT FROM lag(path) OVER (PARTITION BY place ORDER BY value) AS opens
    FROM placed
)
SELECT
    CASE
        WHEN first_of_all AND NOT $same_levels::BOOLEAN THEN NULL
        WHEN first_of_interval THEN opening.lower
        ELSE opening.value
    END AS lower,
    taxonomy.paths
FROM opening
JOIN taxonomy ON taxonomy.value = opening.value
WHERE opens
UNION ALL BY NAME
SELECT numbered.lower, numbered.kept_paths
FROM numbered
ANTI JOIN placed ON placed.place = numbered.place
WHERE $same_levels::BOOLEAN
