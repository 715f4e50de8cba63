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
    CAST(ROW_NUMBER() OVER (ORDER BY sorted.`age`, sorted.`it's "odd"`, sorted.`zip`, sorted.`income`) AS BIGINT) AS `row_place`
  FROM (
    SELECT
      r.`age`,
      r.`it's "odd"`,
      r.`zip`,
      r.`income`
    FROM (
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
    ) AS r
    INNER JOIN `anonduck_kept` AS k
      ON r.`age` IS NOT DISTINCT FROM k.`q_1`
      AND r.`it's "odd"` IS NOT DISTINCT FROM k.`q_2`
      AND r.`zip` IS NOT DISTINCT FROM k.`q_3`
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
