SELECT
  n.c0,
  n.c1,
  COUNT(*) AS records
FROM (
  SELECT
    CASE
      WHEN (
        NOT s."age" IS NULL AND l0."key_0" IS NULL
      )
      AND CAST('column age: a value that came into the source after its values were counted' || COALESCE(SUBSTRING(CAST(s."age" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
      THEN NULL
      ELSE l0."number"
    END AS c0,
    CASE
      WHEN (
        NOT s."it's ""odd""" IS NULL AND l1."key_0" IS NULL
      )
      AND CAST('column it''s "odd": a value that came into the source after its values were counted' || COALESCE(SUBSTRING(CAST(s."it's ""odd""" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
      THEN NULL
      ELSE l1."number"
    END AS c1
  FROM "source" AS s
  LEFT JOIN "anonduck_floor_0" AS l0
    ON s."age" = l0."key_0"
  LEFT JOIN "anonduck_floor_1" AS l1
    ON s."it's ""odd""" = l1."key_0"
) AS n
GROUP BY
  n.c0,
  n.c1
