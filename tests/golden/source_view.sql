CREATE OR REPLACE TEMPORARY VIEW source AS
SELECT
  *
  REPLACE (CAST("it's ""odd""" AS DECIMAL(10, 2)) AS "it's ""odd""")
FROM READ_CSV('it''s/*.csv', header = TRUE, delim = ';', types = {'it''s "odd"': 'VARCHAR'})
WHERE
  (
    age > 3 AND name <> 'x'
  )
