SELECT
  l.code_0 AS code,
  CAST(SUM(s."#records") AS BIGINT) AS records
FROM release_set AS s
JOIN "release_lookup"."it's ""odd""" AS l
  ON s."it's ""odd""@value" = l.value
WHERE
  NOT l.code_1 IS NULL
GROUP BY
  l.code_0
ORDER BY
  l.code_0
