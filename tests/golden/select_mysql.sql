SELECT
  placed.`age`,
  placed.`it's "odd"`,
  placed.`zip`,
  placed.`income`
FROM (
  SELECT
    sorted.`age`,
    sorted.`it's "odd"`,
    sorted.`zip`,
    sorted.`income`,
    ROW_NUMBER() OVER (ORDER BY sorted.`age`, sorted.`it's "odd"`, sorted.`zip`, sorted.`income`) AS `row_place`
  FROM (
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
  ) AS sorted
) AS placed
ORDER BY
  (
    (
      (
        (
          (
            (
              (
                placed.`row_place` % 2147483647
              ) * 1103515245 + 12345
            ) % 2147483647
          ) * (
            (
              (
                placed.`row_place` % 2147483647
              ) * 1103515245 + 12345
            ) % 2147483647
          )
        ) % 2147483647
      ) * (
        (
          (
            placed.`row_place` % 2147483647
          ) * 1103515245 + 12345
        ) % 2147483647 + 987654321
      )
    ) % 2147483647
  ) % 64,
  placed.`row_place`
