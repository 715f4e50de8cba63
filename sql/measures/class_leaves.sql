-- The frequency set as leaf codes and class.
-- One row: a distinct combination of quasi-identifier leaves and class.
-- Reads: coded_frequency_set
-- Binds: leaves (columns)
-- NULL: is code 0, a value of its own, in leaves and class.
SELECT leaves, "#class" AS class_code, "#records" AS records
FROM coded_frequency_set
ORDER BY leaves, "#class"
