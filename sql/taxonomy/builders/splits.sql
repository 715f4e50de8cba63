-- The round bounds within stretches of rare leaves: none is known yet.
-- One row: none.
-- Reads: leaves
-- Result: temporary table splits: stretch, below and above (the leaves beside the bound), number and power (of numbers:
--   number * 10^power), moment (of dates and times: microseconds since 1970). The type of leaves is taken from them.
CREATE OR REPLACE TEMP TABLE splits AS
SELECT 0::BIGINT AS stretch, value AS below, value AS above, 0::HUGEINT AS number, 0 AS power, 0::BIGINT AS moment
FROM leaves
WHERE FALSE
