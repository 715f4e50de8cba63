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
      sized.`age`,
      sized.`it's "odd"`,
      sized.`zip`,
      sized.`income`
    FROM (
      SELECT
        sized.`age`,
        sized.`it's "odd"`,
        sized.`zip`,
        sized.`income`,
        sized.`class_size`,
        COUNT(CASE WHEN sized.`class_size` < 5 THEN 1 END) OVER () AS `small_records`,
        COUNT(*) OVER () AS `all_records`
      FROM (
        SELECT
          released.`age`,
          released.`it's "odd"`,
          released.`zip`,
          released.`income`,
          COUNT(*) OVER (
            PARTITION BY CAST(released.`age` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin, CAST(released.`it's "odd"` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin, CAST(released.`zip` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin
          ) AS `class_size`
        FROM (
          SELECT
            CAST(CASE
              WHEN s.`age` IS NULL
              THEN NULL
              ELSE CASE WHEN s.`age` < 30 THEN 'under 30' ELSE '30 and over' END
            END AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `age`,
            CAST(CASE
              WHEN s.`it's "odd"` IS NULL
              THEN NULL
              WHEN CAST(s.`it's "odd"` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin IN ('x''); DROP TABLE t; --')
              THEN 'a'
              WHEN CAST(s.`it's "odd"` AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin IN ('y')
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
            END AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `it's "odd"`,
            CAST('*' AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_nopad_bin AS `zip`,
            CASE WHEN s.`income` = 0 THEN 0 ELSE s.`income` END AS `income`
          FROM shop.customers AS s
        ) AS released
      ) AS sized
    ) AS sized
    WHERE
      CASE
        WHEN sized.`class_size` >= 5
        THEN 'met'
        WHEN sized.`small_records` <= 0.02 * sized.`all_records`
        THEN 'left out'
        WHEN (
          SELECT
            CONCAT(
              'the release misses what is required of it',
              COALESCE(SUBSTRING(CAST(sized.`class_size` AS CHAR CHARACTER SET utf8mb4), 1, 0), '')
            )
          UNION ALL
          SELECT
            'stops the statement'
        ) IS NULL
        THEN NULL
      END = 'met'
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
