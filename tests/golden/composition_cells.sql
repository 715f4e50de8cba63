CREATE OR REPLACE TEMPORARY TABLE later_cells AS
SELECT
  DENSE_RANK() OVER (ORDER BY s.a_1, s.a_3, s.a_2, s.a_5) AS class,
  ROW_NUMBER() OVER () AS cell,
  b1.label AS l_1,
  b3.label AS l_3,
  s.a_4,
  s.records
FROM later_release AS s
JOIN labels AS b1
  ON b1.attribute = 1 AND b1.text IS NOT DISTINCT FROM s.a_1
JOIN labels AS b3
  ON b3.attribute = 3 AND b3.text IS NOT DISTINCT FROM s.a_3
