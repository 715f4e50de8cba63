CREATE OR REPLACE TABLE coded AS
SELECT
  COALESCE(l0.code_0, 0) AS "age@0",
  COALESCE(l0.code_1, 0) AS "age@1",
  COALESCE(l1.code_0, 0) AS "it's ""odd""@0",
  COALESCE(c.code, 0) AS "#class",
  f."it's ""odd""s@value" AS s_1,
  f."#records"
FROM sensitive_set AS f
LEFT JOIN "lookup"."age" AS l0
  ON f."age@value" = l0.value
LEFT JOIN "lookup"."it's ""odd""" AS l1
  ON f."it's ""odd""@value" = l1.value
LEFT JOIN class_values AS c
  ON f."class@value" = c.value
