CREATE OR REPLACE TEMPORARY TABLE "interval_ends" AS
SELECT
  s."#assigned" AS assigned,
  BOOL_OR(CAST(s."it's ""odd""@value" IS NULL AS BOOLEAN)) AS missing,
  MIN(COALESCE(l.code_0, 0)) AS least_code,
  MAX(COALESCE(l.code_0, 0)) AS largest_code,
  MIN(l.code_1) AS first_code,
  MAX(l.code_1) AS last_code,
  MIN(CASE WHEN s."it's ""odd""@value" = 0 THEN 0 ELSE s."it's ""odd""@value" END) AS least
FROM release_set AS s
LEFT JOIN "release_lookup"."it's ""odd""" AS l
  ON s."it's ""odd""@value" = l.value
GROUP BY
  s."#assigned"
