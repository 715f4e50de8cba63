SELECT placed."age", placed."it's ""odd""", placed."zip", placed."income"
FROM (
  SELECT
  sorted."age", sorted."it's ""odd""", sorted."zip", sorted."income",
  CAST(row_number() OVER (ORDER BY sorted."age", sorted."it's ""odd""", sorted."zip", sorted."income") AS BIGINT) AS "row_place"
  FROM (
    SELECT
    CASE
      WHEN s."age" IS NULL THEN NULL
      ELSE CASE WHEN s."age" < 30 THEN 'under 30' ELSE '30 and over' END
    END AS "age",
    CASE
      WHEN s."it's ""odd""" IS NULL THEN NULL
      WHEN s."it's ""odd""" IN ('x\'); DROP TABLE t; --') THEN 'a'
      WHEN s."it's ""odd""" IN ('y') THEN 'b'
      WHEN CAST('column it\'s "odd": a value that its taxonomy does not know' || coalesce(SUBSTRING(CAST(s."it's ""odd""" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL
    END AS "it's ""odd""",
    '*' AS "zip",
    CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
    FROM shop.customers AS s
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD(
    (MOD(
        (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)),
        2147483647
      ))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321),
    2147483647
  ), 64),
placed."row_place"
