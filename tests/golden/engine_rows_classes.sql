SELECT
  l0.`shown_0` AS `age`,
  l0.`shown_1` AS `it's "odd"`,
  CASE WHEN s.`income` = 0 THEN CAST(0 AS DOUBLE) ELSE s.`income` END AS `income`
FROM `source` AS s
INNER JOIN `lookup` AS l0
  ON s.`age` IS NOT DISTINCT FROM l0.`key_0`
  AND s.`it's "odd"` IS NOT DISTINCT FROM l0.`key_1`
  AND s.`income` IS NOT DISTINCT FROM l0.`key_2`
ORDER BY
  1,
  2,
  3
