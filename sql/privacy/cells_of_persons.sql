-- The cells of one sensitive attribute where records have persons, who may have several each.
-- One row: an equivalence class and a sensitive value that occurs in it.
-- Reads: a numbered frequency set with the column person
-- Binds: sensitive (column), numbered_set (table), cells (table), $named (value), $null_named (value),
--   $harmless (value)
-- Result: class; value; holders, the persons who have the value in a record of the class at least once; weight, the
--   sum of 1 / values over these persons, a person's values being those in the class: the weights of a class sum to
--   its persons; concerning, as in privacy/cells.sql.
-- NULL: a sensitive NULL is a value of its own; a NULL person is one person.
CREATE OR REPLACE TEMP TABLE cells AS
WITH held AS (
    SELECT DISTINCT class, person, sensitive AS value
    FROM numbered_set
), weighed AS (
    SELECT class, value, 1 / count(*) OVER (PARTITION BY class, person) AS weight
    FROM held
)
SELECT
    class,
    value,
    count(*) AS holders,
    fsum(weight) AS weight,
    CASE
        WHEN len($named::VARCHAR[]) = 0 AND NOT $null_named THEN $harmless
        WHEN value IS NULL THEN $null_named <> $harmless
        ELSE list_contains($named::VARCHAR[], value::VARCHAR) <> $harmless
    END AS concerning
FROM weighed
GROUP BY class, value
