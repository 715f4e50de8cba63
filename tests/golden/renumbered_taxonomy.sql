CREATE OR REPLACE TABLE taxonomy."a ""b"" c" AS
SELECT
  value,
  level_2 AS level_1,
  level_5 AS level_2,
  code_0,
  code_2 AS code_1,
  code_5 AS code_2
FROM taxonomy."a ""b"" c"
ORDER BY
  code_0 NULLS FIRST
