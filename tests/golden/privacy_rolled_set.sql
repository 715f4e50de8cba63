CREATE OR REPLACE TEMPORARY TABLE audited_set AS
SELECT
  "age@1" AS q_1,
  "odd ""name@0" AS q_2,
  "s_1" AS s_1,
  CAST(SUM("#records") AS BIGINT) AS "#records"
FROM coded_set
GROUP BY
  "age@1",
  "odd ""name@0",
  "s_1"
