-- How each released value is written: a point, an interval, open at one end, or anything else.
-- One row: an attribute and a distinct value that the release holds in it.
-- Reads: release_values
-- Result: temporary table label_ends: attribute; text; records; shape: interval, under, over, or point for all
--   others; lower_text and upper_text, its ends as they are written, -inf and inf for open ones; of a point both are
--   the text itself.
-- NULL: a text of its own, of the shape point, without ends.
CREATE OR REPLACE TEMP TABLE label_ends AS
WITH read AS (
    SELECT
        attribute,
        value AS text,
        records,
        CASE
            WHEN regexp_matches(value, '^[\[(].+, .+[\])]$') THEN 'interval'
            WHEN regexp_matches(value, '^(under|before) .+$') THEN 'under'
            WHEN regexp_matches(value, '^.+ and (over|later)$') THEN 'over'
            ELSE 'point'
        END AS shape
    FROM release_values
)
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
