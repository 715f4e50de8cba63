SELECT
  CASE
    WHEN s.`age` IS NULL
    THEN NULL
    WHEN l0.`key_0` IS NULL
    THEN RAISE_ERROR('column age: a value that the release was not made of')
    ELSE l0.`shown_0`
  END AS `age`,
  CASE
    WHEN s.`it's "odd"` IS NULL
    THEN NULL
    WHEN l1.`key_0` IS NULL
    THEN RAISE_ERROR('column it\'s "odd": a value that the release was not made of')
    ELSE l1.`shown_0`
  END AS `it's "odd"`,
  '*' AS `zip`,
  CASE WHEN s.`income` = 0 THEN CAST(0 AS DOUBLE) ELSE s.`income` END AS `income`
FROM `source` AS s
LEFT JOIN `lookup_0` AS l0
  ON s.`age` = l0.`key_0`
LEFT JOIN `lookup_1` AS l1
  ON s.`it's "odd"` = l1.`key_0`
ORDER BY
  1,
  2,
  3,
  4
