-- The frequency set of what an engine counted, or the values of each column that it counted.
-- One row: a distinct combination, or a value of one column.
-- Reads: fetched: c0, c1, ..., records; the columns of apart
-- Binds: target (table), fetched (table), columns (list), apart (list)
-- Result: table target: each column as "<name>@value", and "#records". It is grouped once more, as an engine may distinguish
--   values that are equal here, such as the two zeros; rows that differ in the columns of apart stay apart.
-- NULL: is a value of its own.
CREATE OR REPLACE TABLE target AS
SELECT
    each(columns, c{n} AS "{name}@value";),
    sum(records)::BIGINT AS "#records"
FROM fetched
GROUP BY each(apart, "{name}";), each(columns, c{n};)
