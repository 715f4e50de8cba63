CREATE OR REPLACE TABLE coded AS
SELECT
  n."#cell",
  n."age@0",
  COALESCE(l0.code_1, 0) AS "age@1",
  n."it's ""odd""@0",
  n."flag@0",
  n."#class",
  n."#records",
  CAST(COALESCE(f."#fold_0", 0) AS BIGINT) AS "#fold_0",
  CAST(COALESCE(f."#fold_1", 0) AS BIGINT) AS "#fold_1"
FROM coded_numbered AS n
LEFT JOIN "lookup"."age" AS l0
  ON n."age@0" = l0.code_0
LEFT JOIN cell_folds AS f
  ON n."#cell" = f."#cell"
ORDER BY
  n."#cell"
