SELECT
  COUNT_IF(NOT "age" IS NULL AND TRY_CAST("age" AS BIGINT) IS DISTINCT FROM "age") AS "age",
  COUNT_IF(NOT "it's ""odd""" IS NULL AND TRY_CAST("it's ""odd""" AS DATE) IS NULL) AS "it's ""odd"""
FROM new_records
