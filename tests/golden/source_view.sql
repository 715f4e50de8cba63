CREATE OR REPLACE TEMPORARY VIEW source AS
SELECT
  *
  REPLACE (CAST("it's ""odd""" AS DECIMAL(10, 2)) AS "it's ""odd""", CAST(CAST("job" AS VARIANT) AS VARCHAR) AS "job", CAST(CAST("tags" AS VARIANT) AS STRUCT(a VARCHAR)[]) AS "tags", CASE WHEN "pay" = '0' THEN '0' ELSE "pay" END AS "pay")
FROM READ_CSV('it''s/*.csv', header = TRUE, delim = ';', types = {'it''s "odd"': 'VARCHAR'})
WHERE
  (
    age > 3 AND name <> 'x'
  )
