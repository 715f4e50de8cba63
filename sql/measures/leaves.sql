-- The frequency set as leaf codes.
-- One row: a distinct combination of the leaves.
-- Reads: coded_frequency_set
-- Binds: leaves (columns)
-- NULL: is code 0, a value of its own.
SELECT leaves, sum("#records")::BIGINT AS records
FROM coded_frequency_set
GROUP BY leaves
ORDER BY leaves
