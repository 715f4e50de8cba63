CREATE OR REPLACE TABLE sample_set AS
SELECT
  r."age@value",
  r."it's ""odd""@value",
  d.records AS "#records"
FROM bucket_rows AS r
JOIN drawn_buckets AS d
  ON r."#row" = d."#row"
