SELECT placed.`age`, placed.`it's "odd"`, placed.`zip`, placed.`income`
FROM (
  SELECT
  sorted.`age`, sorted.`it's "odd"`, sorted.`zip`, sorted.`income`,
  CAST(row_number() OVER (ORDER BY sorted.`age`, sorted.`it's "odd"`, sorted.`zip`, sorted.`income`) AS INT64) AS `row_place`
  FROM (
    SELECT sized.`age`, sized.`it's "odd"`, sized.`zip`, sized.`income`
    FROM (
      SELECT
      sized.`age`, sized.`it's "odd"`, sized.`zip`, sized.`income`,
      sized.`class_size`,
      count(CASE WHEN sized.`class_size` < 5 THEN 1 END) OVER () AS `small_records`, count(*) OVER () AS `all_records`
      FROM (
        SELECT
        released.`age`, released.`it's "odd"`, released.`zip`, released.`income`,
        count(*) OVER (PARTITION BY released.`age`, released.`it's "odd"`, released.`zip`) AS `class_size`
        FROM (
          SELECT
          CASE
            WHEN s.`age` IS NULL THEN NULL
            ELSE CASE WHEN s.`age` < 30 THEN 'under 30' ELSE '30 and over' END
          END AS `age`,
          CASE
            WHEN s.`it's "odd"` IS NULL THEN NULL
            WHEN s.`it's "odd"` IN ('x\'); DROP TABLE t; --') THEN 'a'
            WHEN s.`it's "odd"` IN ('y') THEN 'b'
            ELSE ERROR('column it\'s "odd": a value that its taxonomy does not know')
          END AS `it's "odd"`,
          '*' AS `zip`,
          CASE WHEN s.`income` = 0 THEN 0 ELSE s.`income` END AS `income`
          FROM shop.customers AS s
        ) AS released
      ) AS sized
    ) AS sized
    WHERE CASE
      WHEN sized.`class_size` >= 5
      THEN 'met'
      WHEN sized.`class_size` < 5 AND sized.`small_records` <= 0.02 * sized.`all_records` THEN 'left out'
      ELSE ERROR('the release misses what is required of it')
    END = 'met'
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD(
    (MOD(
        (MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647)),
        2147483647
      ))
    * ((MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321),
    2147483647
  ), 64),
placed.`row_place`
