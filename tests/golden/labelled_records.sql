SELECT
  l0.level_1 AS "age",
  CASE
    WHEN l1.code_1 IS NULL AND NOT s."it's ""odd""@value" IS NULL
    THEN 'any''one'
    ELSE s."it's ""odd""@value"
  END AS "it's ""odd""",
  '*' AS "zip"
FROM made AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
ORDER BY
  s."#place"
