-- The frequency set of some columns, from one of these and others.
-- One row: a distinct combination of the values, with its records.
-- Reads: frequency, a frequency set
-- Binds: target (table), frequency (table), attributes (columns)
-- Result: table target: attributes and "#records".
-- NULL: is a value of its own.
CREATE OR REPLACE TABLE target AS
SELECT attributes, sum("#records")::BIGINT AS "#records"
FROM frequency
GROUP BY attributes
