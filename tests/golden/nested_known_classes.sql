CREATE OR REPLACE TEMPORARY TABLE known_classes AS
SELECT
  ROW_NUMBER() OVER (ORDER BY c.l_1, c.l_2) - 1 AS place,
  c.l_1,
  c.l_2,
  ROUND(LN(e1.covered) + LN(e2.covered), 9) AS width
FROM (
  SELECT DISTINCT
    l_1,
    l_2
  FROM released_rows
) AS c
JOIN extents AS e1
  ON e1.attribute = 1 AND e1.label = c.l_1
JOIN extents AS e2
  ON e2.attribute = 2 AND e2.label = c.l_2
