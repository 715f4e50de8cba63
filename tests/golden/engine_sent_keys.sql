SELECT
  value AS key_0,
  CASE
    WHEN code_0 IS NULL
    THEN 0
    ELSE CAST(HASH('3:' || CAST(code_0 AS TEXT)) >> 6 AS BIGINT)
  END AS level_0,
  CASE
    WHEN code_2 IS NULL
    THEN 0
    ELSE CAST(HASH('3:' || CAST(code_2 AS TEXT)) >> 6 AS BIGINT)
  END AS level_2
FROM "lookup"."it's ""odd"""
