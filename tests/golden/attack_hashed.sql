CREATE OR REPLACE TEMPORARY TABLE whole_original AS
SELECT
  HASH(CAST(release."it's ""odd""" AS TEXT), CAST(release."b" AS TEXT)) AS a_1,
  COUNT(*) AS records
FROM release
GROUP BY ALL
