CREATE OR REPLACE TEMPORARY TABLE packed_records AS
SELECT
  CAST("#id" AS INT) AS id,
  (
    CAST("it's ""odd""@0" AS BIGINT) << 0
  ) | (
    CAST("age@0" AS BIGINT) << 42
  ) | (
    CAST("age@1" AS BIGINT) << 50
  ) | (
    CAST("#class" AS BIGINT) << 55
  ) AS w0,
  "#records" AS n
FROM joined_records
ORDER BY
  "#cell"
