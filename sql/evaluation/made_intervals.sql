-- The finest intervals of a taxonomy that was just made, with how much of the range of the values they cover.
-- One row: an interval of level 1, in their order, also one without values.
-- Reads: bounds."<column>", taxonomy."<column>"
-- Binds: bounds (table), taxonomy (table), codes (columns)
-- Result: the codes of its path; label; breadth (within the finite values) and full_breadth (of all of them), NaN where
--   there is no range.
-- NULL: a lower bound that is open.
WITH leaf_numbers AS (
    SELECT
        CASE
            WHEN typeof(taxonomy.value) = 'DATE' OR starts_with(typeof(taxonomy.value), 'TIMESTAMP')
                THEN epoch(try_cast(taxonomy.value AS TIMESTAMP))
            WHEN isfinite(try_cast(taxonomy.value AS DOUBLE)) THEN try_cast(taxonomy.value AS DOUBLE)
        END AS number
    FROM taxonomy
),
edges AS (
    SELECT min(number) AS lowest, max(number) AS highest
    FROM leaf_numbers
),
placed AS (
    SELECT
        bounds.lower,
        CASE
            WHEN typeof(bounds.lower) = 'DATE' OR starts_with(typeof(bounds.lower), 'TIMESTAMP')
                THEN epoch(try_cast(bounds.lower AS TIMESTAMP))
            ELSE try_cast(bounds.lower AS DOUBLE)
        END AS number,
        bounds.level_1 AS label,
        bounds.codes
    FROM bounds
),
starts AS (
    SELECT
        CASE WHEN lower IS NULL THEN NULL ELSE coalesce(number, 'inf'::DOUBLE) END AS start,
        lead(number) OVER (ORDER BY lower NULLS FIRST) AS stop,
        row_number() OVER (ORDER BY lower NULLS FIRST) AS place,
        placed.label,
        placed.codes
    FROM placed
)
SELECT
    starts.codes,
    label,
    coalesce(
        least(greatest(coalesce(stop, highest), lowest), highest)
        - least(greatest(coalesce(start, lowest), lowest), highest),
        'NaN'::DOUBLE
    ) AS breadth,
    coalesce(nullif(highest - lowest, 0), 'NaN'::DOUBLE) AS full_breadth
FROM starts
CROSS JOIN edges
ORDER BY place
