-- The place of each sensitive value in the order, the declared one where there is one, and the shares up to it.
-- One row: a sensitive value of the release.
-- Reads: cells
-- Binds: cells (table), ranks (table), $declared (value)
-- Result: value; rank, from 1; cumulated, the share of records up to and with the value; before and after, the sums of
--   cumulated over all earlier values, without and with this one.
-- NULL: stands last, after the largest value.
CREATE OR REPLACE TEMP TABLE ranks AS
WITH held AS (
    SELECT value, sum(weight) / (SELECT sum(weight) FROM cells) AS share
    FROM cells
    GROUP BY value
), ordered AS (
    SELECT
        value,
        row_number() OVER (
            ORDER BY
                value IS NULL,
                list_position($declared::VARCHAR[], value::VARCHAR),
                try_cast(value::VARCHAR AS DOUBLE),
                try_cast(value::VARCHAR AS TIMESTAMP),
                value::VARCHAR
        ) AS rank,
        share
    FROM held
), cumulated AS (
    SELECT value, rank, sum(share) OVER (ORDER BY rank) AS cumulated
    FROM ordered
)
SELECT
    value,
    rank,
    cumulated,
    sum(cumulated) OVER (ORDER BY rank) - cumulated AS before,
    sum(cumulated) OVER (ORDER BY rank) AS after
FROM cumulated
