CREATE OR REPLACE TEMPORARY TABLE "it's ""odd"" cut" AS
SELECT
  l.value,
  CASE
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 0
    THEN 0
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 1
    THEN 1
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 2
    THEN 2
    ELSE 3
  END AS node_level,
  CASE
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 0
    THEN CAST(CASE WHEN l.value = 0 THEN 0 ELSE l.value END AS TEXT)
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 1
    THEN l.level_1
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 2
    THEN l.level_2
    ELSE CAST($root_label AS TEXT)
  END AS label,
  CASE
    WHEN NOT l.code_1 IS NULL AND c.shown_level = 0
    THEN CASE WHEN l.value = 0 THEN 0 ELSE l.value END
  END AS leaf
FROM "release_lookup"."it's ""odd""" AS l
JOIN cut_codes AS c
  ON l.code_0 = c.leaf_code
UNION ALL
SELECT
  NULL,
  shown_level,
  CASE WHEN shown_level = 3 THEN $root_label END,
  NULL
FROM cut_codes
WHERE
  leaf_code = 0
