-- The lower bounds that give every leaf of an edited taxonomy its own path.
-- One row: neighbouring leaves of one interval that have the same path.
-- Reads: bounds."<column>", taxonomy."<column>"
-- Binds: bounds (table), taxonomy (table), paths (columns), $opened (value)
-- Result: the table bounds."<column>": lower (that of the interval for its first leaves, else the first of the
--   leaves) and the path; with $opened the first row is open below.
-- NULL: a lower bound that is open.
CREATE OR REPLACE TABLE bounds AS
WITH numbered AS (
    SELECT lower, row_number() OVER (ORDER BY lower NULLS FIRST) AS place
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
        WHEN first_of_all AND $opened::BOOLEAN THEN NULL
        WHEN first_of_interval THEN opening.lower
        ELSE opening.value
    END AS lower,
    taxonomy.paths
FROM opening
JOIN taxonomy ON taxonomy.value = opening.value
WHERE opens
