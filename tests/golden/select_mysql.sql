SELECT
  CAST(CASE
    WHEN s.`age` IS NULL
    THEN NULL
    ELSE CASE WHEN s.`age` < 30 THEN 'under 30' ELSE '30 and over' END
  END AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin AS `age`,
  CAST(CASE
    WHEN s.`it's "odd"` IS NULL
    THEN NULL
    WHEN CAST(s.`it's "odd"` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin IN ('x''); DROP TABLE t; --')
    THEN 'a'
    WHEN CAST(s.`it's "odd"` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin IN ('y')
    THEN 'b'
    WHEN (
      SELECT
        CONCAT(
          'column it''s "odd": a value that its taxonomy does not know',
          COALESCE(SUBSTRING(CAST(s.`it's "odd"` AS CHAR CHARACTER SET utf8mb4), 1, 0), '')
        )
      UNION ALL
      SELECT
        'stops the statement'
    ) IS NULL
    THEN NULL
  END AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin AS `it's "odd"`,
  CAST('*' AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_0900_bin AS `zip`,
  CASE WHEN s.`income` = 0 THEN 0 ELSE s.`income` END AS `income`
FROM shop.customers AS s
ORDER BY
  1,
  2,
  3,
  4
