-- Records that are attacked, drawn at random without replacement; the same seed draws the same.
-- One row: a record.
-- Reads: placed records, each distinct combination with its number of records
-- Binds: pool (table), $seed (value), $limit (value)
-- Result: temporary table targets: target, a number; the columns of the pool.
-- NULL: as in the pool.
CREATE OR REPLACE TEMP TABLE targets AS
WITH every AS (
    SELECT pool.*, unnest(range(pool.records)) AS copy
    FROM pool
), drawn AS (
    SELECT every.*, hash(every, $seed::BIGINT) AS lot
    FROM every
    ORDER BY lot
    LIMIT $limit::BIGINT
)
SELECT row_number() OVER (ORDER BY lot) AS target, drawn.* EXCLUDE (records, copy, lot)
FROM drawn
