CREATE OR REPLACE TEMPORARY TABLE audited_set AS
SELECT
  release."age" AS q_1,
  release."odd ""name" AS q_2,
  release."value" AS s_1,
  COUNT(*) AS "#records"
FROM release
GROUP BY
  release."age",
  release."odd ""name",
  release."value"
