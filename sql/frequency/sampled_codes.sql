-- The sampled records as leaf codes.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_unfolded (the coded frequency set of the sample)
-- Binds: leaves (columns)
-- Result: the code of each leaf, that of the class, and the records of the sample.
-- NULL: is code 0.
SELECT leaves, "#class" AS class_code, "#records"::BIGINT AS records
FROM coded_unfolded
ORDER BY leaves, "#class"
