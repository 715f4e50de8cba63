SELECT
  l0.value AS key_0,
  CASE
    WHEN l0.code_1 IS NULL AND NOT l0.value IS NULL
    THEN 'any''one'
    ELSE l0.value
  END AS shown_0
FROM "release_lookup"."it's ""odd""" AS l0
WHERE
  NOT l0.value IS NULL
