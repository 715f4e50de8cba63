SELECT
  COUNT(DISTINCT h0) FILTER(WHERE
    h0 % 8 = 0) * 8,
  COUNT(DISTINCT h1) FILTER(WHERE
    h1 % 8 = 0) * 8,
  COUNT(DISTINCT h2) FILTER(WHERE
    h2 % 8 = 0) * 8
FROM (
  SELECT
    HASH("age@1", "it's ""odd""@0", "class@value") AS h0,
    HASH("age@2", "class@value") AS h1,
    HASH("class@value") AS h2
  FROM (
    SELECT
      s."class" AS "class@value",
      l0.code_1 AS "age@1",
      l0.code_2 AS "age@2",
      l1.code_0 AS "it's ""odd""@0"
    FROM source AS s
    LEFT JOIN "lookup"."age" AS l0
      ON s."age" = l0.value
    LEFT JOIN "lookup"."it's ""odd""" AS l1
      ON s."it's ""odd""" = l1.value
  ) AS coded
) AS hashed
