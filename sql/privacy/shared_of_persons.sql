-- LKC: how many persons share the values of some quasi-identifiers, and the share of the most frequent sensitive value.
-- One row: all combinations of values of these quasi-identifiers.
-- Reads: the classes by name, a numbered frequency set with the column person, cells
-- Binds: attributes (columns), sensitive (column), named_classes (table), numbered_set (table), cells (table)
-- Result: k, the persons of the smallest combination; c, the largest share of one that has a concerning sensitive
--   value.
-- NULL: a value of its own, in attributes and in the sensitive column; a NULL person is one person.
WITH combinations AS (
    SELECT class, dense_rank() OVER (ORDER BY row(0, attributes))::INTEGER AS combination
    FROM named_classes
), held AS (
    SELECT DISTINCT combinations.combination, numbered_set.person, numbered_set.sensitive AS value
    FROM numbered_set
    JOIN combinations ON numbered_set.class = combinations.class
), people AS (
    SELECT combination, count(*) AS members
    FROM (SELECT DISTINCT combination, person FROM held)
    GROUP BY combination
), known AS (
    SELECT DISTINCT value, concerning
    FROM cells
), holders AS (
    SELECT held.combination, count(*) AS holders, bool_or(known.concerning) AS concerning
    FROM held
    JOIN known ON held.value IS NOT DISTINCT FROM known.value
    GROUP BY held.combination, held.value
)
SELECT
    min(people.members) AS k,
    max(CASE WHEN holders.concerning THEN holders.holders ELSE 0 END / people.members) AS c
FROM people
JOIN holders ON people.combination = holders.combination
