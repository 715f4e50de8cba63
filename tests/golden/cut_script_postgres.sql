DROP TABLE IF EXISTS "pg_temp"."anonduck_values_0";
CREATE TEMPORARY TABLE "anonduck_values_0" AS WITH listed("value", "shown") AS (VALUES (3, '[0, 5)')) SELECT "value", "shown" FROM listed;
DROP TABLE IF EXISTS "pg_temp"."anonduck_values_1";
CREATE TEMPORARY TABLE "anonduck_values_1" AS WITH listed("value") AS (VALUES ('it''s')) SELECT "value" FROM listed;
SELECT
  CASE
    WHEN counted.records = counted.released
    THEN 'every record once'
    WHEN CAST('the lists of this script give some record more than once, or not at all' || COALESCE(SUBSTRING(CAST(counted.records AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
    THEN NULL
  END AS row_count_guard
FROM (
  SELECT
    (
      SELECT
        COUNT(*)
      FROM shop.customers AS s
    ) AS records,
    (
      SELECT
        COUNT(*)
      FROM (
        SELECT
          CASE
            WHEN s."age" IS NULL
            THEN NULL
            WHEN NOT l0."value" IS NULL
            THEN l0."shown"
            WHEN CAST('column age: a value that its taxonomy does not know' || COALESCE(SUBSTRING(CAST(s."age" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
            THEN NULL
          END AS "age",
          CAST(CASE
            WHEN NOT l1."value" IS NULL
            THEN s."it's ""odd"""
            WHEN CAST('column it''s "odd": a value that the release was not made of' || COALESCE(SUBSTRING(CAST(s."it's ""odd""" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
            THEN NULL
          END AS TEXT) COLLATE "C" AS "it's ""odd"""
        FROM shop.customers AS s
        LEFT JOIN "anonduck_values_0" AS l0
          ON s."age" = l0."value"
        LEFT JOIN "anonduck_values_1" AS l1
          ON CAST(s."it's ""odd""" AS TEXT) COLLATE "C" = l1."value"
      ) AS joined
    ) AS released
) AS counted;
SELECT
  placed."age",
  placed."it's ""odd"""
FROM (
  SELECT
    sorted."age",
    sorted."it's ""odd""",
    CAST(ROW_NUMBER() OVER (ORDER BY sorted."age", sorted."it's ""odd""") AS BIGINT) AS "row_place"
  FROM (
    SELECT
      CASE
        WHEN s."age" IS NULL
        THEN NULL
        WHEN NOT l0."value" IS NULL
        THEN l0."shown"
        WHEN CAST('column age: a value that its taxonomy does not know' || COALESCE(SUBSTRING(CAST(s."age" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
        THEN NULL
      END AS "age",
      CAST(CASE
        WHEN NOT l1."value" IS NULL
        THEN s."it's ""odd"""
        WHEN CAST('column it''s "odd": a value that the release was not made of' || COALESCE(SUBSTRING(CAST(s."it's ""odd""" AS TEXT) FROM 1 FOR 0), '') AS INTEGER) IS NULL
        THEN NULL
      END AS TEXT) COLLATE "C" AS "it's ""odd"""
    FROM shop.customers AS s
    LEFT JOIN "anonduck_values_0" AS l0
      ON s."age" = l0."value"
    LEFT JOIN "anonduck_values_1" AS l1
      ON CAST(s."it's ""odd""" AS TEXT) COLLATE "C" = l1."value"
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
