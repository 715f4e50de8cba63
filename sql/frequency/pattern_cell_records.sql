-- The records of each cell, from which a sample is drawn.
-- One row: a cell of the coded frequency set.
-- Reads: coded_frequency_set
-- Binds: nothing
-- NULL: does not occur.
SELECT "#records" AS records
FROM coded_frequency_set
ORDER BY "#cell"
