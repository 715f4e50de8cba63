CREATE OR REPLACE TEMPORARY TABLE audited_population AS
SELECT
  release."age" AS q_1,
  COUNT(*) AS held
FROM release
GROUP BY
  release."age"
