-- What each released value says by its text: a point, an interval, everything, or a name.
-- One row: an attribute and a distinct value that the release holds in it.
-- Reads: release_values, kinds
-- Binds: nothing
-- Result: temporary table labels: attribute; label, its number from 1 in the order of its text; text; records; root, whether
--   it is * and so covers everything; lower and upper, the ends of a point or an interval as a number (moments as seconds),
--   lower_closed and upper_closed; point, whether both ends are one. An attribute of names has no ends.
-- NULL: a label of its own, numbered last, without ends.
CREATE OR REPLACE TEMP TABLE labels AS
WITH read AS (
    SELECT
        released.attribute,
        kinds.kind,
        released.value AS text,
        released.records,
        CASE
            WHEN regexp_matches(released.value, '^[\[(].+, .+[\])]$') THEN 'interval'
            WHEN regexp_matches(released.value, '^(under|before) .+$') THEN 'under'
            WHEN regexp_matches(released.value, '^.+ and (over|later)$') THEN 'over'
            ELSE 'point'
        END AS shape
    FROM release_values AS released
    JOIN kinds ON kinds.attribute = released.attribute
), ends AS (
    SELECT
        *,
        CASE shape
            WHEN 'interval' THEN regexp_extract(text, '^.(.+), .+$', 1)
            WHEN 'under' THEN '-inf'
            WHEN 'over' THEN regexp_extract(text, '^(.+) and ', 1)
            ELSE text
        END AS lower_text,
        CASE shape
            WHEN 'interval' THEN regexp_extract(text, '^.+, (.+).$', 1)
            WHEN 'under' THEN regexp_extract(text, '^(under|before) (.+)$', 2)
            WHEN 'over' THEN 'inf'
            ELSE text
        END AS upper_text
    FROM read
)
SELECT
    attribute,
    (row_number() OVER (PARTITION BY attribute ORDER BY text NULLS LAST))::INTEGER AS label,
    text,
    records,
    coalesce(text = '*', FALSE) AS root,
    CASE
        WHEN kind = 'name' THEN NULL
        WHEN lower_text = '-inf' THEN '-infinity'::DOUBLE
        WHEN kind = 'number' THEN try_cast(lower_text AS DOUBLE)
        ELSE epoch(try_cast(lower_text AS TIMESTAMP))
    END AS lower,
    CASE
        WHEN kind = 'name' THEN NULL
        WHEN upper_text = 'inf' THEN 'infinity'::DOUBLE
        WHEN kind = 'number' THEN try_cast(upper_text AS DOUBLE)
        ELSE epoch(try_cast(upper_text AS TIMESTAMP))
    END AS upper,
    shape IN ('point', 'over') OR text LIKE '[%' AS lower_closed,
    shape = 'point' OR (shape = 'interval' AND text LIKE '%]') AS upper_closed,
    shape = 'point' AS point
FROM ends
