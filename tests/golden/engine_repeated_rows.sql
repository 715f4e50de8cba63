SELECT
  g.`shown_0` AS `age`,
  g.`shown_1` AS `it's "odd"`,
  g.`shown_2` AS `zip`,
  g.`shown_3` AS `income`
FROM `anonduck_rows` AS g
INNER JOIN `anonduck_repeats` AS r
  ON g.`times` = r.`times`
ORDER BY
  1,
  2,
  3,
  4
