-- How often values of two columns occur together, of numbers their bins.
-- One row: two values that occur together.
-- Reads: the codes of both columns
-- Binds: one (table), other (table)
-- Result: one_bin; other_bin; records.
-- NULL: is bin 0, a value of its own.
SELECT a.bin AS one_bin, b.bin AS other_bin, sum(a."#records")::BIGINT AS records
FROM one AS a
JOIN other AS b USING ("#row")
GROUP BY one_bin, other_bin
ORDER BY one_bin, other_bin
