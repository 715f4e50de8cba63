-- What each released value says by its text: a point, an interval, everything, or a name.
-- One row: an attribute and a distinct value that the release holds in it.
-- Reads: label_ends, kinds
-- Result: temporary table labels: attribute; label, its number from 1 in the order of its text; text; records; root,
--   whether it is * and so covers everything; lower and upper, the ends of a point or an interval as a number
--   (moments as seconds), lower_closed and upper_closed; point, whether both ends are one. An attribute of names has
--   no ends.
-- NULL: a label of its own, numbered last, without ends.
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    ends.attribute,
    (row_number() OVER (PARTITION BY ends.attribute ORDER BY ends.text NULLS LAST))::INTEGER AS label,
    ends.text,
    ends.records,
    coalesce(ends.text = '*', FALSE) AS root,
    CASE
        WHEN kinds.kind = 'name' THEN NULL
        WHEN ends.lower_text = '-inf' THEN '-infinity'::DOUBLE
        WHEN kinds.kind = 'number' THEN try_cast(ends.lower_text AS DOUBLE)
        ELSE epoch(try_cast(ends.lower_text AS TIMESTAMP))
    END AS lower,
    CASE
        WHEN kinds.kind = 'name' THEN NULL
        WHEN ends.upper_text = 'inf' THEN 'infinity'::DOUBLE
        WHEN kinds.kind = 'number' THEN try_cast(ends.upper_text AS DOUBLE)
        ELSE epoch(try_cast(ends.upper_text AS TIMESTAMP))
    END AS upper,
    ends.shape IN ('point', 'over') OR ends.text LIKE '[%' AS lower_closed,
    ends.shape = 'point' OR (ends.shape = 'interval' AND ends.text LIKE '%]') AS upper_closed,
    ends.shape = 'point' AS point
FROM label_ends AS ends
JOIN kinds ON kinds.attribute = ends.attribute
