CREATE OR REPLACE TEMPORARY TABLE numbered_0 AS
SELECT
  "it's ""odd""@value" AS value,
  CAST(ROW_NUMBER() OVER (ORDER BY "it's ""odd""@value") AS BIGINT) AS number,
  "it's ""odd""@value" AS shown
FROM value_counts
WHERE
  NOT "it's ""odd""@value" IS NULL
