CREATE OR REPLACE TEMPORARY TABLE whole_original AS
SELECT
  HASH(CAST(release."it's ""odd""" AS TEXT)) AS a_1,
  HASH(CAST(release."b" AS TEXT)) AS a_2,
  COUNT(*) AS records
FROM release
GROUP BY ALL
