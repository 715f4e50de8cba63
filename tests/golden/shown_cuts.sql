SELECT
  s."age@value" AS key_0,
  s."it's ""odd""@value" AS key_1,
  s."income@value" AS key_2,
  ANY_VALUE(c0.leaf) AS shown_0,
  ANY_VALUE(c1.label) AS shown_1
FROM staying_set AS s
JOIN "age cut" AS c0
  ON s."age@value" IS NOT DISTINCT FROM c0.value
JOIN "it's ""odd"" cut" AS c1
  ON s."it's ""odd""@value" IS NOT DISTINCT FROM c1.value
GROUP BY
  s."age@value",
  s."it's ""odd""@value",
  s."income@value"
