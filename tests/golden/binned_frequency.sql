CREATE OR REPLACE TEMPORARY TABLE binned_frequency AS
SELECT
  CAST(COALESCE(b0.bin, 0) AS UTINYINT) AS bin_0,
  CAST(COALESCE(b0.position, 0) AS INT) AS leaf_0,
  CAST(COALESCE(b1.bin, 0) AS UTINYINT) AS bin_1,
  f."#records"
FROM held AS f
LEFT JOIN bins_0 AS b0
  ON f."age@value" = b0.value
LEFT JOIN bins_1 AS b1
  ON f."it's ""odd""@value" = b1.value
