-- How far the first records that a scan meets repeat each other.
-- One row: all of them together.
-- Reads: source, as far as it has to be
-- Binds: counted (columns), $most (value)
-- Result: how many records there are, up to a number of them, and how many distinct combinations they make.
-- NULL: is a value of its own.
SELECT count(*) AS records, count(DISTINCT hash(first.counted)) AS combinations
FROM (SELECT counted FROM source LIMIT $most) AS first
