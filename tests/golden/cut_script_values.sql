SELECT
  CAST(value AS TEXT),
  CAST(label AS TEXT)
FROM "it's ""odd"" cut"
ORDER BY
  value
