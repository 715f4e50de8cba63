CREATE OR REPLACE TEMPORARY TABLE audited_persons AS
SELECT
  release."age" AS q_1,
  release."odd ""name" AS person,
  COUNT(*) AS "#records"
FROM release
GROUP BY
  release."age",
  release."odd ""name"
