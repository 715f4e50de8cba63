-- Which combinations of values a sample of the records has, drawn by values and a seed alone, whatever their order.
-- One row: a combination with a drawn record, as its hash.
-- Reads: source
-- Binds: counted (columns), $share (value), $seed (value)
-- Result: temporary table drawn_sample: combination, records (those drawn, each with the probability of the share).
-- NULL: is a value of its own.
CREATE OR REPLACE TEMP TABLE drawn_sample AS
SELECT combination, count(*) AS records
FROM (
    SELECT combination, unnest(range(count(*))) AS number
    FROM (SELECT hash(s.counted) AS combination FROM source AS s)
    GROUP BY combination
)
WHERE hash(combination, number, $seed::BIGINT) / 18446744073709551615.0::DOUBLE <= $share::DOUBLE
GROUP BY combination
