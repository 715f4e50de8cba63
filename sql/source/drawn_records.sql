-- Records drawn at random for two groups of equal size; the same seed draws the same, in whatever order the source is.
-- One row: a record.
-- Reads: source
-- Binds: $seed (value), $limit (value)
-- Result: temporary table drawn_records: the columns of the source; #group, 0 or 1.
-- NULL: is kept.
CREATE OR REPLACE TEMP TABLE drawn_records AS
WITH lots AS (
    SELECT "#row".*, hash("#row", $seed::BIGINT) AS "#lot"
    FROM source AS "#row"
    ORDER BY "#lot"
    LIMIT $limit::BIGINT
)
SELECT lots.* EXCLUDE ("#lot"), row_number() OVER (ORDER BY "#lot") % 2 AS "#group"
FROM lots
