WITH `shown_at` AS (SELECT * FROM UNNEST([
STRUCT(CAST('2024-01-01 10:00:00+00:00' AS TIMESTAMP) AS `key`, 'edited' AS `label`)
]))
SELECT placed.`zip`, placed.`born`, placed.`at`
FROM (
  SELECT
  sorted.`zip`, sorted.`born`, sorted.`at`,
  CAST(row_number() OVER (ORDER BY sorted.`zip`, sorted.`born`, sorted.`at`) AS INT64) AS `row_place`
  FROM (
    SELECT
    CASE
      WHEN s.`zip` IS NULL THEN NULL
      ELSE '**' || SUBSTR('***' || CASE WHEN LENGTH(s.`zip`) < 5 THEN SUBSTR('00000' || s.`zip`, LENGTH(s.`zip`) + 1, 5) ELSE s.`zip` END, LENGTH('***' || CASE WHEN LENGTH(s.`zip`) < 5 THEN SUBSTR('00000' || s.`zip`, LENGTH(s.`zip`) + 1, 5) ELSE s.`zip` END) - 2, 3)
    END AS `zip`,
    CASE WHEN s.`born` IS NULL THEN NULL ELSE FORMAT_DATE('%G-W%V', CAST(SUBSTR(CAST(s.`born` AS STRING), 1, 10) AS DATE)) END AS `born`,
    CASE
      WHEN s.`at` IS NULL THEN NULL
      WHEN l0.`key` IS NOT NULL THEN l0.`label`
      ELSE SUBSTR(CAST(DATETIME(s.`at`, 'UTC') AS STRING), 1, 4) || CASE WHEN SUBSTR(CAST(DATETIME(s.`at`, 'UTC') AS STRING), 6, 2) <= '03' THEN '-Q1' WHEN SUBSTR(CAST(DATETIME(s.`at`, 'UTC') AS STRING), 6, 2) <= '06' THEN '-Q2' WHEN SUBSTR(CAST(DATETIME(s.`at`, 'UTC') AS STRING), 6, 2) <= '09' THEN '-Q3' ELSE '-Q4' END
    END AS `at`
    FROM shop.customers AS s
    LEFT JOIN `shown_at` AS l0 ON s.`at` = l0.`key`
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD((MOD((MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
    * ((MOD((MOD(placed.`row_place`, 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
placed.`row_place`
