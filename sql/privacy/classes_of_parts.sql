-- The equivalence classes of a numbered frequency set, beside persons or a population that are grouped by the same values.
-- One row: an equivalence class of the release, or a combination that only the population has.
-- Reads: the tables of parts
-- Binds: parts (list), attributes (list), population (list), counted (column)
-- Result: temporary table classes: class; records; persons, counted or the records; held, the records of the population.
--   Its parts are united and grouped, since a join would need a comparison per column.
-- NULL: values are put together; a class that only the population has is NULL, and so is held without a population.
CREATE OR REPLACE TEMPORARY TABLE classes AS
SELECT
    min(class) AS class,
    sum(records)::BIGINT AS records,
    sum(counted)::BIGINT AS persons,
    each(population, coalesce(sum("{name}"), 0); NULL)::BIGINT AS held
FROM (
    united(parts,
        SELECT
            each(attributes, "{name}";),
            {class}::BIGINT AS class,
            {records}::BIGINT AS records,
            {persons}::BIGINT AS persons,
            {held}::BIGINT AS held
        FROM "{table}"
    )
) AS parts
GROUP BY each(attributes, "{name}";)
