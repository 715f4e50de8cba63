SELECT
  "age@value" AS "age",
  "it's ""odd""@value" AS "it's ""odd""",
  "zip@value" AS "zip",
  "income@value" AS "income"
FROM (
  SELECT
    "age@value",
    "it's ""odd""@value",
    "zip@value",
    "income@value",
    UNNEST(RANGE("#records")) AS "#repeat"
  FROM (
    SELECT
      "age@value",
      "it's ""odd""@value",
      "zip@value",
      "income@value",
      "#records"
    FROM release_rows
    ORDER BY
      "age@value",
      "it's ""odd""@value",
      "zip@value",
      "income@value"
  ) AS ordered
) AS expanded
