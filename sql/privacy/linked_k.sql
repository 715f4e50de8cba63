-- How many persons share all of their rows with others, for somebody who knows which rows are one person's.
-- One row: all persons of a release.
-- Reads: audited_persons, a row per equivalence class and person with its records; its classes by name
-- Binds: attributes (columns), audited_persons (table), named_classes (table)
-- Result: linked_k, the persons of the smallest group that has each class as often (a multiset); persons, how many
--   there are; persons_alone, those who share all of their rows with nobody.
-- NULL: a value of its own in the attributes (IS NOT DISTINCT FROM); a NULL key is one person.
WITH held AS (
    SELECT audited_persons.person, named_classes.class, audited_persons."#records"::BIGINT AS records
    FROM audited_persons
    JOIN named_classes ON row(0, audited_persons.attributes) IS NOT DISTINCT FROM row(0, named_classes.attributes)
), people AS (
    SELECT person, list(class ORDER BY class) AS classes, list(records ORDER BY class) AS numbers
    FROM held
    GROUP BY person
), alike AS (
    SELECT count(*) AS persons
    FROM people
    GROUP BY classes, numbers
)
SELECT
    min(persons) AS linked_k,
    sum(persons)::BIGINT AS persons,
    count(*) FILTER (WHERE persons = 1) AS persons_alone
FROM alike
