-- anonduck 0.1.0: the release of the rule rate=0, as a model of SQLMesh
-- Required and not checked here: t.
MODEL (
  name privacy_staged.people,
  kind FULL,
  dialect duckdb,
  audits (anonduck_k, anonduck_l_1)
);

SELECT placed."rate", placed."note", placed."class"
FROM (
  SELECT
  sorted."rate", sorted."note", sorted."class",
  CAST(row_number() OVER (ORDER BY sorted."rate", sorted."note", sorted."class") AS BIGINT) AS "row_place"
  FROM (
    SELECT
    CASE WHEN s."rate" = 0 THEN 0 ELSE s."rate" END AS "rate",
    CAST(s."note" AS VARCHAR) COLLATE C AS "note",
    CAST(s."class" AS VARCHAR) COLLATE C AS "class"
    FROM raw.people AS s
  ) AS sorted
) AS placed
ORDER BY
MOD(MOD(
    (MOD(
        (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)),
        2147483647
      ))
    * ((MOD((MOD(placed."row_place", 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321),
    2147483647
  ), 64),
placed."row_place";

AUDIT (
  name anonduck_k
);

SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min(class_records) AS reached
FROM (
  SELECT
  count(*) AS class_records
  FROM @this_model
  GROUP BY CAST("rate" AS VARCHAR) COLLATE C
) AS classes
WHERE class_records < 5
HAVING count(*) > 0;

AUDIT (
  name anonduck_l_1
);

SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min(class_values) AS reached
FROM (
  SELECT
  count(*) AS class_records,
  count(DISTINCT CAST("note" AS VARCHAR) COLLATE C) + max(CASE WHEN "note" IS NULL THEN 1 ELSE 0 END) AS class_values
  FROM @this_model
  GROUP BY CAST("rate" AS VARCHAR) COLLATE C
) AS classes
WHERE class_values < 2
HAVING count(*) > 0;
