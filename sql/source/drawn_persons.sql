-- The records of persons drawn at random for two groups of as many persons; the same seed draws the same.
-- One row: a record.
-- Reads: source
-- Binds: person (column), $seed (value), $limit (value)
-- Result: temporary table drawn_records: the columns of the source; #group, 0 or 1, the same for all of a person's.
-- NULL: is a person of its own.
CREATE OR REPLACE TEMP TABLE drawn_records AS
WITH lots AS (
    SELECT source.*, dense_rank() OVER (ORDER BY hash(person, $seed::BIGINT), person) AS "#lot"
    FROM source
)
SELECT lots.* EXCLUDE ("#lot"), "#lot" % 2 AS "#group"
FROM lots
WHERE "#lot" <= $limit::BIGINT
