-- How large the equivalence classes of the audited release are, beside the k that is required.
-- One row: all classes of the release.
-- Reads: the classes of the release.
-- Binds: classes (table), $required (value)
-- Result: rows; classes; k, the records in the smallest class; the average and the largest class; alone, the records
--   that are a class of their own; under_required, the records in classes of fewer than $required records.
--   k_persons, the persons in the smallest class; bands, a list of the sizes of classes between powers of two, smallest
--   first: the smallest and the largest size that occur in the band, its classes, its records.
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
        SELECT list([least, most, band_classes, band_records] ORDER BY least)
        FROM (
            SELECT
                min(records)::BIGINT AS least,
                max(records)::BIGINT AS most,
                count(*) AS band_classes,
                sum(records)::BIGINT AS band_records
            FROM classes
            WHERE class IS NOT NULL
            GROUP BY length(bin(records::BIGINT))
        )
    ) AS bands
FROM classes
WHERE class IS NOT NULL
