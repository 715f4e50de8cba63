CREATE OR REPLACE TEMPORARY TABLE attacked_release AS
SELECT
  CAST(release."it's ""odd""" AS TEXT) AS a_1,
  CAST(release."b" AS TEXT) AS a_2,
  COUNT(*) AS records
FROM release
GROUP BY ALL
