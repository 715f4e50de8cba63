SELECT
  s.*,
  2 AS "zip@level",
  CASE WHEN s."age@value" IS NULL THEN 0 WHEN l0.code_1 IS NULL THEN 2 ELSE 1 END AS "age@level",
  CASE
    WHEN s."it's ""odd""@value" IS NULL
    THEN 0
    WHEN l1.code_1 IS NULL
    THEN 3
    ELSE 0
  END AS "it's ""odd""@level",
  DENSE_RANK() OVER (
    ORDER BY l0.level_1, CASE
      WHEN l1.code_1 IS NULL AND NOT s."it's ""odd""@value" IS NULL
      THEN 'any''one'
      ELSE s."it's ""odd""@value"
    END
  ) AS "#equivalence"
FROM release_set AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
