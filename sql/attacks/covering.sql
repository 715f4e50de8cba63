-- Which released labels each original value may stand behind.
-- One row: an attribute and a distinct value of the original or the control.
-- Reads: places, labels, paths
-- Result: temporary table covering: attribute; value; position; labels, a list of their numbers, those of fewest
--   records first: the same text, the same number or moment, an interval around the value, a masked text (12***)
--   whose visible part the value begins or ends with, of any length, for masks fill up short values and cut long
--   ones, a label that a taxonomy gives to it, or *.
-- NULL: is covered by NULL, by * and by what a taxonomy gives to it; no interval and no mask covers it.
CREATE OR REPLACE TEMP TABLE covering AS
WITH masks AS (
    SELECT attribute, label, text LIKE '%*' AS begins, CASE WHEN text LIKE '%*' THEN rtrim(text, '*') ELSE ltrim(text, '*') END AS shown
    FROM labels
    WHERE NOT root AND (text LIKE '%*' OR text LIKE '*%')
), visible AS (
    SELECT DISTINCT attribute, begins, len(shown) AS shown
    FROM masks
), pairs AS (
    SELECT places.attribute, places.value, labels.label
    FROM places
    JOIN labels ON labels.attribute = places.attribute AND labels.text IS NOT DISTINCT FROM places.value
    UNION
    SELECT places.attribute, places.value, labels.label
    FROM places
    JOIN labels ON labels.attribute = places.attribute AND labels.lower = places.position
    WHERE labels.point
    UNION
    SELECT places.attribute, places.value, labels.label
    FROM places
    JOIN (SELECT * FROM labels WHERE NOT point) AS labels
        ON labels.attribute = places.attribute
        AND places.position >= labels.lower
        AND places.position <= labels.upper
    WHERE (labels.lower_closed OR places.position > labels.lower) AND (labels.upper_closed OR places.position < labels.upper)
    UNION
    SELECT places.attribute, places.value, labels.label
    FROM places
    JOIN paths ON paths.attribute = places.attribute AND paths.value IS NOT DISTINCT FROM places.value
    JOIN labels ON labels.attribute = paths.attribute AND labels.text IS NOT DISTINCT FROM paths.text
    UNION
    SELECT places.attribute, places.value, masks.label
    FROM places
    JOIN visible ON visible.attribute = places.attribute AND visible.shown <= len(places.value)
    JOIN masks
        ON masks.attribute = places.attribute
        AND masks.begins = visible.begins
        AND len(masks.shown) = visible.shown
        AND masks.shown = CASE WHEN visible.begins THEN left(places.value, visible.shown) ELSE right(places.value, visible.shown) END
    UNION
    SELECT places.attribute, places.value, labels.label
    FROM places
    JOIN labels ON labels.attribute = places.attribute
    WHERE labels.root
), listed AS (
    SELECT pairs.attribute, pairs.value, list(labels.label ORDER BY labels.records, labels.label) AS labels
    FROM pairs
    JOIN labels ON labels.attribute = pairs.attribute AND labels.label = pairs.label
    GROUP BY pairs.attribute, pairs.value
)
SELECT places.attribute, places.value, places.position, coalesce(listed.labels, []::INTEGER[]) AS labels
FROM places
LEFT JOIN listed ON listed.attribute = places.attribute AND listed.value IS NOT DISTINCT FROM places.value
