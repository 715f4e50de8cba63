CREATE OR REPLACE TABLE frequency_set AS
SELECT
  n0.shown AS "age@value",
  CAST(NULL AS TEXT) AS "it's ""odd""@value",
  n1.shown AS "job@value",
  CAST(f.c2 AS BIGINT) AS "#records"
FROM fetched AS f
LEFT JOIN (
  SELECT DISTINCT
    number,
    shown
  FROM numbered_0
) AS n0
  ON f.c0 = n0.number
LEFT JOIN (
  SELECT DISTINCT
    number,
    shown
  FROM numbered_1
) AS n1
  ON f.c1 = n1.number
