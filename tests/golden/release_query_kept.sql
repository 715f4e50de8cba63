SELECT
  placed."age",
  placed."it's ""odd""",
  placed."zip",
  placed."income"
FROM (
  SELECT
    sorted."age",
    sorted."it's ""odd""",
    sorted."zip",
    sorted."income",
    CAST(ROW_NUMBER() OVER (ORDER BY sorted."age", sorted."it's ""odd""", sorted."zip", sorted."income") AS BIGINT) AS "row_place"
  FROM (
    SELECT
      sized."age",
      sized."it's ""odd""",
      sized."zip",
      sized."income"
    FROM (
      SELECT
        released."age",
        released."it's ""odd""",
        released."zip",
        released."income",
        COUNT(*) OVER (PARTITION BY released."age", released."it's ""odd""", released."zip") AS "class_size"
      FROM (
        SELECT
          CASE
            WHEN s."age" IS NULL
            THEN NULL
            WHEN l0.label IS NULL
            THEN (
              SELECT
                lowest.label
              FROM "anonduck_lookup_0" AS lowest
              WHERE
                lowest.lower_bound IS NULL
            )
            ELSE l0.label
          END AS "age",
          CASE
            WHEN s."it's ""odd""" IS NULL
            THEN NULL
            WHEN l1.label IS NULL
            THEN ERROR('column it''s "odd": a value that its taxonomy does not know')
            ELSE s."it's ""odd"""
          END AS "it's ""odd""",
          '*' AS "zip",
          CASE WHEN s."income" = 0 THEN 0 ELSE s."income" END AS "income"
        FROM source AS s
        ASOF LEFT JOIN "anonduck_lookup_0" AS l0
          ON s."age" >= l0.lower_bound
        LEFT JOIN "anonduck_lookup_1" AS l1
          ON s."it's ""odd""" = l1.value
      ) AS released
    ) AS sized
    WHERE
      sized."class_size" >= 5
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
                placed."row_place" % 2147483647
              ) * 1103515245 + 12345
            ) % 2147483647
          ) * (
            (
              (
                placed."row_place" % 2147483647
              ) * 1103515245 + 12345
            ) % 2147483647
          )
        ) % 2147483647
      ) * (
        (
          (
            placed."row_place" % 2147483647
          ) * 1103515245 + 12345
        ) % 2147483647 + 987654321
      )
    ) % 2147483647
  ) % 64,
  placed."row_place"
