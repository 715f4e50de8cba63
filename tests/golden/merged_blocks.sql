CREATE OR REPLACE TEMPORARY TABLE merged_blocks AS
SELECT
  key_0,
  CAST(SUM(pairs) AS BIGINT) AS pairs,
  CAST(COALESCE(MAX(missed), $bound) AS BIGINT) AS missed
FROM pattern_blocks
GROUP BY
  key_0
HAVING
  SUM(pairs) > 0
