CREATE OR REPLACE TEMPORARY TABLE release_values AS
SELECT
  CAST(1 AS INT) AS attribute,
  a_1 AS value,
  CAST(SUM(records) AS BIGINT) AS records
FROM attacked_release
GROUP BY
  a_1
UNION ALL
SELECT
  CAST(2 AS INT) AS attribute,
  a_2 AS value,
  CAST(SUM(records) AS BIGINT) AS records
FROM attacked_release
GROUP BY
  a_2
