CREATE OR REPLACE TEMPORARY TABLE predicates AS
SELECT
  drawn.class,
  CAST((
    1 + HASH(drawn.class, 1, CAST($seed AS BIGINT)) % 5
  ) AS INT) AS l_1,
  CAST((
    1 + HASH(drawn.class, 3, CAST($seed AS BIGINT)) % 2
  ) AS INT) AS l_3
FROM RANGE(0, CAST($limit AS BIGINT)) AS drawn(class)
