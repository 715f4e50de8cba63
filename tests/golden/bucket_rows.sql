CREATE OR REPLACE TEMPORARY TABLE bucket_rows AS
SELECT
  ROW_NUMBER() OVER (ORDER BY "#bucket", "age@value", "it's ""odd""@value") - 1 AS "#row",
  *
FROM (
  SELECT
    CAST(HASH("age", "it's ""odd""") % 8 AS BIGINT) AS "#bucket",
    "age" AS "age@value",
    "it's ""odd""" AS "it's ""odd""@value",
    COUNT(*) AS "#records"
  FROM source
  WHERE
    CAST(HASH("age", "it's ""odd""") % 8 AS BIGINT) IN (
      SELECT
        "#bucket"
      FROM drawn_buckets
    )
  GROUP BY
    "#bucket",
    "age",
    "it's ""odd"""
) AS held
