-- The equivalence classes of a release, where nothing is asked of them but their sizes.
-- One row: an equivalence class.
-- Reads: a table with a row for each class
-- Binds: counted (table), classes (table)
-- Result: class, a number; records; persons, here the records; held, the records of the population: not known here.
-- NULL: does not occur but in held, which says that there is no population.
CREATE OR REPLACE TEMP TABLE classes AS
SELECT
    row_number() OVER () AS class,
    "#records"::BIGINT AS records,
    "#records"::BIGINT AS persons,
    NULL::BIGINT AS held
FROM counted
