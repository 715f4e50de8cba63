CREATE OR REPLACE TABLE release_set AS
SELECT
  s.*
  REPLACE (CASE
    WHEN s."it's ""odd""@value" < $least_0 OR s."it's ""odd""@value" > $largest_0
    THEN NULL
    ELSE s."it's ""odd""@value"
  END AS "it's ""odd""@value"),
  s."age@value" AS "age@scanned",
  s."it's ""odd""@value" AS "it's ""odd""@scanned"
FROM release_set AS s
