-- What anonduck takes for granted of every engine that reads a source, where SQL leaves it open or a version could differ.
-- One row: a behaviour.
-- Result: behaviour, its words; value, a number that an expression gives here; expected, what it gives where anonduck was
--   tested.
-- NULL: of a value, the behaviour is another one.
SELECT 'GROUP BY puts NULLs together' AS behaviour, count(*) AS value, 2 AS expected
FROM (SELECT value FROM (VALUES (NULL), (1), (NULL)) AS held (value) GROUP BY value) AS groups
UNION ALL
SELECT 'DISTINCT keeps one NULL', count(*), 2
FROM (SELECT DISTINCT value FROM (VALUES (NULL), (1), (NULL)) AS held (value)) AS distinct_values
UNION ALL
SELECT 'IS NOT DISTINCT FROM finds NULL equal to NULL', count(*), 2
FROM (VALUES (NULL, NULL), (1, 1), (NULL, 1), (1, 2)) AS pairs (one, other)
WHERE one IS NOT DISTINCT FROM other
UNION ALL
SELECT 'a comparison with NULL is NULL', count(*), 1
FROM (VALUES (NULL, NULL), (1, 1), (NULL, 1), (1, 2)) AS pairs (one, other)
WHERE one = other
UNION ALL
SELECT 'count(*) counts NULL', count(*), 3
FROM (VALUES (NULL), (1), (1)) AS held (value)
UNION ALL
SELECT 'count(value) leaves out NULL', count(value), 2
FROM (VALUES (NULL), (1), (1)) AS held (value)
UNION ALL
SELECT 'count(DISTINCT value) leaves out NULL', count(DISTINCT value), 1
FROM (VALUES (NULL), (1), (1)) AS held (value)
UNION ALL
SELECT 'GROUP BY puts NaNs together', count(*), 1
FROM (SELECT value FROM (VALUES ('nan'::DOUBLE), (-('nan'::DOUBLE))) AS held (value) GROUP BY value) AS groups
UNION ALL
SELECT 'NaN equals itself and is the largest number', count(*), 2
FROM (VALUES ('nan'::DOUBLE), ('inf'::DOUBLE)) AS held (value)
WHERE value = value AND value >= 'inf'::DOUBLE
UNION ALL
SELECT 'GROUP BY puts -0.0 and 0.0 together', count(*), 1
FROM (SELECT value FROM (VALUES (-0.0::DOUBLE), (0.0::DOUBLE)) AS held (value) GROUP BY value) AS groups
UNION ALL
SELECT 'NULL is not in a list', count(*), 1
FROM (VALUES (1), (3), (NULL)) AS held (value)
WHERE value IN (1, 2)
UNION ALL
SELECT 'NULL is not outside of a list', count(*), 1
FROM (VALUES (1), (3), (NULL)) AS held (value)
WHERE value NOT IN (1, 2)
UNION ALL
SELECT 'NULL is not in a list of rows', count(*), 1
FROM (VALUES (1), (3), (NULL)) AS held (value)
WHERE value IN (SELECT one FROM (VALUES (1), (2), (NULL)) AS listed (one))
