CREATE OR REPLACE TEMPORARY TABLE "released_cells" AS
SELECT
  COALESCE(l0.code_0, 0) AS "age@0",
  COALESCE(l1.code_0, 0) AS "it's ""odd""@0",
  COALESCE(s."age@level", 0) AS "age@level",
  COALESCE(s."it's ""odd""@level", 0) AS "it's ""odd""@level",
  c.code AS "#class",
  COALESCE(s."#equivalence", 0) AS "#equivalence",
  s."#stays" AS "#stays",
  b.block AS "#block",
  CAST(SUM(s."#records") AS BIGINT) AS "#records"
FROM (
  SELECT
    s.*,
    c0.node_level AS "age@level",
    c1.node_level AS "it's ""odd""@level",
    DENSE_RANK() OVER (ORDER BY c0.label, c1.label) AS "#equivalence"
  FROM released_marks AS s
  JOIN "age cut" AS c0
    ON s."age@value" IS NOT DISTINCT FROM c0.value
  JOIN "it's ""odd"" cut" AS c1
    ON s."it's ""odd""@value" IS NOT DISTINCT FROM c1.value
) AS s
LEFT JOIN "release_lookup"."age" AS l0
  ON s."age@value" = l0.value
LEFT JOIN "release_lookup"."it's ""odd""" AS l1
  ON s."it's ""odd""@value" = l1.value
JOIN released_class_values AS c
  ON s."income@value" IS NOT DISTINCT FROM c.value
JOIN released_blocks AS b
  ON s."a day@value" IS NOT DISTINCT FROM b.value
GROUP BY ALL
