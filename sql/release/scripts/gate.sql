-- Counts of the classes of a release that are too small, or too much alike in a sensitive column; no value of a class.
-- One row: the only one, or none where no class fails.
-- Reads: the relation of the release.
-- Binds: relation (field), counted (list), keys (list), reached (field), least (field)
-- Result: failing_classes; failing_records; reached, the fewest records or values of a class.
-- NULL: is a value as any other.
SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min({reached}) AS reached
FROM (
    SELECT
        count(*) AS class_records,
        each(counted, count(DISTINCT {value}) + max(CASE WHEN "{name}" IS NULL THEN 1 ELSE 0 END) AS class_values;)
    FROM {relation}
    GROUP BY each(keys, {value};)
) AS classes
WHERE {reached} < {least}
HAVING count(*) > 0
