SELECT
  r."age",
  r."it's ""odd""",
  r."zip",
  r."income"
FROM (
  SELECT
    CASE
      WHEN s."age" IS NULL
      THEN NULL
      WHEN l0."key_0" IS NULL
      AND CAST('column age: a value that the release was not made of' || COALESCE(SUBSTRING(CAST(s."age" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
      THEN NULL
      ELSE l0."shown_0"
    END AS "age",
    CASE
      WHEN s."it's ""odd""" IS NULL
      THEN NULL
      WHEN l1."key_0" IS NULL
      AND CAST('column it''s "odd": a value that the release was not made of' || COALESCE(SUBSTRING(CAST(s."it's ""odd""" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
      THEN NULL
      ELSE l1."shown_0"
    END AS "it's ""odd""",
    '*' AS "zip",
    CASE WHEN s."income" = 0 THEN CAST(0 AS DOUBLE PRECISION) ELSE s."income" END AS "income"
  FROM "source" AS s
  LEFT JOIN "lookup_0" AS l0
    ON s."age" = l0."key_0"
  LEFT JOIN "lookup_1" AS l1
    ON s."it's ""odd""" = l1."key_0"
) AS r
INNER JOIN "anonduck_kept" AS k
  ON (
    (
      r."age" IS NULL
    ) = (
      k."q_1" IS NULL
    )
    AND COALESCE(r."age", '') = COALESCE(k."q_1", '')
  )
  AND (
    (
      r."it's ""odd""" IS NULL
    ) = (
      k."q_2" IS NULL
    )
    AND COALESCE(r."it's ""odd""", '') = COALESCE(k."q_2", '')
  )
  AND (
    (
      r."zip" IS NULL
    ) = (
      k."q_3" IS NULL
    )
    AND COALESCE(r."zip", '') = COALESCE(k."q_3", '')
  )
