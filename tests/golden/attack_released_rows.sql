CREATE OR REPLACE TEMPORARY TABLE released_rows AS
SELECT
  ROW_NUMBER() OVER (ORDER BY l_1, l_2, l_3) AS class,
  rolled.*
FROM (
  SELECT
    b1.label AS l_1,
    b1.lower AS lower_1,
    b1.upper AS upper_1,
    b2.label AS l_2,
    b2.lower AS lower_2,
    b2.upper AS upper_2,
    b3.label AS l_3,
    b3.lower AS lower_3,
    b3.upper AS upper_3,
    CAST(SUM(s.records) AS BIGINT) AS records
  FROM attacked_release AS s
  JOIN labels AS b1
    ON b1.attribute = 1 AND b1.text IS NOT DISTINCT FROM s.a_1
  JOIN labels AS b2
    ON b2.attribute = 2 AND b2.text IS NOT DISTINCT FROM s.a_2
  JOIN labels AS b3
    ON b3.attribute = 3 AND b3.text IS NOT DISTINCT FROM s.a_3
  GROUP BY ALL
) AS rolled
