-- The equivalence classes of a numbered frequency set, where neither persons nor a population are given.
-- One row: an equivalence class.
-- Reads: a numbered frequency set
-- Binds: numbered_set (table), classes (table)
-- Result: class; records; persons, here the records; held, the records of the population: not known here.
-- NULL: does not occur but in held, which says that there is no population.
CREATE OR REPLACE TEMP TABLE classes AS
SELECT
    class,
    sum(records)::BIGINT AS records,
    sum(records)::BIGINT AS persons,
    NULL::BIGINT AS held
FROM numbered_set
GROUP BY class
