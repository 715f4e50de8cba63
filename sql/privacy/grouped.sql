-- The distinct combinations of columns of a release or of a population, with the records of each.
-- One row: a combination of values.
-- Reads: relation: a row is a record, or as many as its column "#records" says where that is among summed
-- Binds: target (table), relation (table), columns (list), summed (list), held (column)
-- Result: temporary table target: each column by what it is called there, and the number of records as held. Columns are
--   qualified, so that no name of the result can be taken for one of them.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    each(columns, release."{name}" AS "{called}";),
    each(summed, sum(release."{name}")::BIGINT; count(*)) AS held
FROM relation AS release
GROUP BY each(columns, release."{name}";)
