SELECT
  value AS key_0,
  CASE
    WHEN number IS NULL
    THEN 0
    ELSE CAST(HASH('3:' || CAST(number AS TEXT)) >> 6 AS BIGINT)
  END AS level_0
FROM numbered_0
