CREATE OR REPLACE TEMPORARY TABLE "tested_set" AS
SELECT
  c."v0" AS "age@value",
  c."v1" AS "it's ""odd""@value",
  c."v_class" AS "income@value",
  t.records AS "#records"
FROM compared_rows AS c
JOIN tested_counts AS t
  ON c."#row" = t."#row"
