-- The part of the coded frequency set whose equivalence classes have k records or more.
-- One row: a distinct combination of quasi-identifier leaves and class that stays.
-- Reads: coded_frequency_set
-- Binds: attributes (columns), kept (table), $k (value)
-- NULL: is code 0, a value of its own.
CREATE OR REPLACE TEMP TABLE kept AS
SELECT *
FROM coded_frequency_set
QUALIFY sum("#records") OVER (PARTITION BY attributes) >= $k
