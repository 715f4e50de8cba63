CREATE OR REPLACE TABLE release_set AS
SELECT
  s.*
  REPLACE (COALESCE(
    s."age@value",
    (
      SELECT
        MIN(l.value)
      FROM "release_lookup"."age" AS l
      WHERE
        l.code_0 = $known_code_0
    )
  ) AS "age@value", COALESCE(
    s."it's ""odd""@value",
    (
      SELECT
        MIN(l.value)
      FROM "release_lookup"."it's ""odd""" AS l
      WHERE
        l.code_0 = $known_code_1
    )
  ) AS "it's ""odd""@value")
FROM release_set AS s
