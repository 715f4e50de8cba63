-- Which combinations of values a sample of the records has, drawn by values and a seed alone, whatever their order.
-- One row: a combination with a drawn record, as its hash.
-- Reads: source
-- Binds: counted (columns), $share (value), $seed (value)
-- Result: temporary table drawn_sample: combination, records (the share of its records, rounded up or down at random).
-- NULL: is a value of its own.
CREATE OR REPLACE TEMP TABLE drawn_sample AS
SELECT
    combination,
    floor(count(*) * $share::DOUBLE + (hash(combination, $seed::BIGINT) >> 32) / 4294967296)::BIGINT AS records
FROM (SELECT hash(s.counted) AS combination FROM source AS s)
GROUP BY combination
HAVING records > 0
