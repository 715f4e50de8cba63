CREATE OR REPLACE TEMPORARY TABLE audited_persons AS
SELECT
  release."age" AS q_1,
  COUNT(DISTINCT release."odd ""name") + CAST(BOOL_OR(CAST(release."odd ""name" IS NULL AS BOOLEAN)) AS BIGINT) AS persons
FROM release
GROUP BY
  release."age"
