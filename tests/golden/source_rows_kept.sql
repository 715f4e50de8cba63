SELECT
  CAST("age" AS TEXT) AS "age",
  "it's ""odd""",
  "zip",
  "income"
FROM (
  SELECT
    r."age",
    r."it's ""odd""",
    r."zip",
    r."income"
  FROM (
    SELECT
      l0.level_1 AS "age",
      CASE
        WHEN l1.code_1 IS NULL AND NOT s."it's ""odd""" IS NULL
        THEN 'any''one'
        ELSE s."it's ""odd"""
      END AS "it's ""odd""",
      '*' AS "zip",
      CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM source AS s
    LEFT JOIN "release_lookup"."age" AS l0
      ON s."age" = l0.value
    LEFT JOIN "release_lookup"."it's ""odd""" AS l1
      ON s."it's ""odd""" = l1.value
  ) AS r
  SEMI JOIN numbered_set AS kept
    ON CAST(r."age" AS TEXT) IS NOT DISTINCT FROM kept.q_1
    AND r."it's ""odd""" IS NOT DISTINCT FROM kept.q_2
    AND r."zip" IS NOT DISTINCT FROM kept.q_3
  ORDER BY
    1,
    2,
    3,
    4
) AS ordered
