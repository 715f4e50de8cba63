SELECT
  e.vector,
  COUNT(DISTINCT e.key) AS found
FROM (
  SELECT
    v.vector AS vector,
    CASE
      WHEN v.vector = 0
      THEN k.k0
      WHEN v.vector = 1
      THEN k.k1
      WHEN v.vector = 2
      THEN k.k2
      WHEN v.vector = 3
      THEN k.k3
    END AS key
  FROM (
    SELECT
      COALESCE(l0."level_1", 0) + COALESCE(l1."level_0", 0) + COALESCE(l2."level_0", 0) AS k0,
      COALESCE(l0."level_2", 0) + COALESCE(l2."level_0", 0) AS k1,
      COALESCE(l2."level_0", 0) AS k2,
      0 AS k3
    FROM "source" AS s
    LEFT JOIN "anonduck_floor_0" AS l0
      ON s."age" = l0."key_0"
    LEFT JOIN "anonduck_floor_1" AS l1
      ON s."it's ""odd""" = l1."key_0"
    LEFT JOIN "anonduck_floor_2" AS l2
      ON s."class" = l2."key_0"
  ) AS k
  CROSS JOIN "anonduck_vectors" AS v
) AS e
WHERE
  e.key % 8 = 0
GROUP BY
  e.vector
