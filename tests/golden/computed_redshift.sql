SELECT
  placed."zip",
  placed."at"
FROM (
  SELECT
    sorted."zip",
    sorted."at",
    CAST(ROW_NUMBER() OVER (ORDER BY sorted."zip", sorted."at") AS BIGINT) AS "row_place"
  FROM (
    SELECT
      CASE
        WHEN s."zip" IS NULL
        THEN NULL
        ELSE '**' || SUBSTR(
          '***' || CASE
            WHEN LENGTH(s."zip") < 5
            THEN SUBSTR('00000' || s."zip", LENGTH(s."zip") + 1, 5)
            ELSE s."zip"
          END,
          LENGTH(
            '***' || CASE
              WHEN LENGTH(s."zip") < 5
              THEN SUBSTR('00000' || s."zip", LENGTH(s."zip") + 1, 5)
              ELSE s."zip"
            END
          ) - 2,
          3
        )
      END AS "zip",
      CASE
        WHEN s."at" IS NULL
        THEN NULL
        WHEN s."at" IN (CAST('2024-01-01 10:00:00+00:00' AS TIMESTAMPTZ))
        THEN 'edited'
        WHEN TIMEZONE('UTC', s."at") < CAST('0001-01-01 00:00:00' AS TIMESTAMP)
        OR TIMEZONE('UTC', s."at") > CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP)
        THEN CASE
          WHEN CAST('column at: a date outside of the years 1 to 9999' || COALESCE(SUBSTRING(CAST(s."at" AS VARCHAR(65535)) FROM 1 FOR 0), '') AS INTEGER) IS NULL
          THEN NULL
        END
        ELSE SUBSTR(TO_CHAR(TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 1, 4) || CASE
          WHEN SUBSTR(TO_CHAR(TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '03'
          THEN '-Q1'
          WHEN SUBSTR(TO_CHAR(TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '06'
          THEN '-Q2'
          WHEN SUBSTR(TO_CHAR(TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '09'
          THEN '-Q3'
          ELSE '-Q4'
        END
      END AS "at"
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
