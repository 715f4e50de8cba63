-- How large the equivalence classes of the audited release are, beside the k that is required.
-- One row: all classes of the release.
-- Reads: the classes of the release.
-- Binds: classes (table), $required (value)
-- Result: rows; classes; k, the records in the smallest class; the average and the largest class; alone, the records
--   that are a class of their own; under_required, the records in classes of fewer than $required records.
--   k_persons, the persons in the smallest class; bands, a list of the sizes of classes between powers of two, smallest
--   first: the smallest size of the band, its classes, its records.
-- NULL: a class without number is one of the population alone, and is left out. Of no records, rows is NULL or 0.
SELECT
    sum(records)::BIGINT AS rows,
    count(*) AS classes,
    min(records) AS k,
    avg(records) AS average,
    max(records) AS largest,
    count(*) FILTER (WHERE records = 1) AS alone,
    coalesce(sum(records) FILTER (WHERE records < $required), 0)::BIGINT AS under_required,
    min(persons) AS k_persons,
    (
        SELECT list([least, classes_of_it, records_of_it] ORDER BY least)
        FROM (
            SELECT
                (1::BIGINT << (length(bin(records::BIGINT)) - 1))::BIGINT AS least,
                count(*) AS classes_of_it,
                sum(records)::BIGINT AS records_of_it
            FROM classes
            WHERE class IS NOT NULL
            GROUP BY least
        )
    ) AS bands
FROM classes
WHERE class IS NOT NULL
