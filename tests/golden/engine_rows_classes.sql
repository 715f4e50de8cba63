SELECT
  placed.`age`,
  placed.`it's "odd"`,
  placed.`income`
FROM (
  SELECT
    sorted.`age`,
    sorted.`it's "odd"`,
    sorted.`income`,
    CAST(ROW_NUMBER() OVER (ORDER BY sorted.`age`, sorted.`it's "odd"`, sorted.`income`) AS BIGINT) AS `row_place`
  FROM (
    SELECT
      l0.`shown_0` AS `age`,
      l0.`shown_1` AS `it's "odd"`,
      CASE WHEN s.`income` = 0 THEN CAST(0 AS DOUBLE) ELSE s.`income` END AS `income`
    FROM `source` AS s
    INNER JOIN `lookup` AS l0
      ON s.`age` IS NOT DISTINCT FROM l0.`key_0`
      AND s.`it's "odd"` IS NOT DISTINCT FROM l0.`key_1`
      AND s.`income` IS NOT DISTINCT FROM l0.`key_2`
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
