-- The distinct combinations of columns of a release, as text.
-- One row: a combination of values.
-- Reads: relation: a row is a record, or as many as its column "#records" says where that is among summed
-- Binds: target (table), relation (table), columns (list), summed (list)
-- Result: temporary table target: a_1, the value of the first column as text or its hash, and so on; records.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT each(columns, {value} AS a_{place};), each(summed, sum("{name}")::BIGINT; count(*)) AS records
FROM relation AS release
GROUP BY ALL
