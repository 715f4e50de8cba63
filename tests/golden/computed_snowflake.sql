WITH "shown_at"("key", "label") AS (VALUES
(CAST('2024-01-01 10:00:00+00:00' AS TIMESTAMP_TZ), 'edited')
)
SELECT placed."zip", placed."born", placed."at"
FROM (
  SELECT
  sorted."zip", sorted."born", sorted."at",
  CAST(row_number() OVER (ORDER BY sorted."zip", sorted."born", sorted."at") AS BIGINT) AS "row_place"
  FROM (
    SELECT
    CASE
      WHEN s."zip" IS NULL THEN NULL
      ELSE '**' || SUBSTR('***' || CASE WHEN LENGTH(s."zip") < 5 THEN SUBSTR('00000' || s."zip", LENGTH(s."zip") + 1, 5) ELSE s."zip" END, LENGTH('***' || CASE WHEN LENGTH(s."zip") < 5 THEN SUBSTR('00000' || s."zip", LENGTH(s."zip") + 1, 5) ELSE s."zip" END) - 2, 3)
    END AS "zip",
    CASE
      WHEN s."born" IS NULL THEN NULL
      WHEN SUBSTR(TO_CHAR(s."born", 'YYYY-MM-DD HH24:MI:SS'), 5, 1) <> '-' THEN CASE  WHEN CAST('column born: a date outside of the years 1 to 9999' || coalesce(SUBSTRING(CAST(s."born" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END
      ELSE SUBSTR(CAST(YEAROFWEEKISO(s."born") + 10000 AS VARCHAR), 2, 4) || '-W' || SUBSTR(CAST(WEEKISO(s."born") + 100 AS VARCHAR), 2, 2)
    END AS "born",
    CASE
      WHEN s."at" IS NULL THEN NULL
      WHEN l0."key" IS NOT NULL THEN l0."label"
      WHEN SUBSTR(TO_CHAR(CONVERT_TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 5, 1) <> '-' THEN CASE  WHEN CAST('column at: a date outside of the years 1 to 9999' || coalesce(SUBSTRING(CAST(s."at" AS VARCHAR), 1, 0), '') AS INTEGER) IS NULL THEN NULL END
      ELSE SUBSTR(TO_CHAR(CONVERT_TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 1, 4) || CASE WHEN SUBSTR(TO_CHAR(CONVERT_TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '03' THEN '-Q1' WHEN SUBSTR(TO_CHAR(CONVERT_TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '06' THEN '-Q2' WHEN SUBSTR(TO_CHAR(CONVERT_TIMEZONE('UTC', s."at"), 'YYYY-MM-DD HH24:MI:SS'), 6, 2) <= '09' THEN '-Q3' ELSE '-Q4' END
    END AS "at"
    FROM shop.customers AS s
    LEFT JOIN "shown_at" AS l0 ON s."at" = l0."key"
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD((MOD((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
placed."row_place"
