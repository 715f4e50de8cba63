-- The records of a source, or of those that a release keeps, by the value of a column.
-- One row: a value.
-- Reads: the frequency set of the release, or that of the records that stay
-- Binds: raw_value (column), counted (table)
-- Result: subgroup, as text; records.
-- NULL: is a value of its own.
SELECT counted.raw_value::VARCHAR AS subgroup, sum(counted."#records")::BIGINT AS records
FROM counted
GROUP BY counted.raw_value
ORDER BY subgroup
