CREATE OR REPLACE TEMPORARY TABLE "swap_set" AS
SELECT
  *,
  ROW_NUMBER() OVER (ORDER BY "age@value", "it's ""odd""@value", "city@value", "income@value") - 1 AS "#row"
FROM (
  SELECT
    CASE
      WHEN s."age@value" > CAST($top_0 AS INT)
      THEN CAST($top_0 AS INT)
      ELSE s."age@value"
    END AS "age@value",
    CASE WHEN s."it's ""odd""@value" = 0 THEN 0 ELSE s."it's ""odd""@value" END AS "it's ""odd""@value",
    l2.level_2 AS "city@value",
    s."income@value" AS "income@value",
    s."#records"
  FROM release_set AS s
  LEFT JOIN "release_lookup"."city" AS l2
    ON s."city@value" = l2.value
) AS shown
