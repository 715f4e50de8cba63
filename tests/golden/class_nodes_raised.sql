CREATE OR REPLACE TEMPORARY TABLE "it's ""odd"" nodes" AS
SELECT
  shared.assigned,
  CASE
    WHEN (
      known AND shared_0
    )
    AND (
      r.least_level <= 0 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN 0
    WHEN (
      known AND shared_1
    )
    AND (
      r.least_level <= 1 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN 1
    WHEN (
      known AND shared_2
    )
    AND (
      r.least_level <= 2 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN 2
    ELSE 3
  END AS node_level,
  CASE
    WHEN (
      known AND shared_0
    )
    AND (
      r.least_level <= 0 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN CAST(least AS TEXT)
    WHEN (
      known AND shared_1
    )
    AND (
      r.least_level <= 1 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN label_1
    WHEN (
      known AND shared_2
    )
    AND (
      r.least_level <= 2 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN label_2
    ELSE CAST($root_label AS TEXT)
  END AS label,
  CASE
    WHEN (
      known AND shared_0
    )
    AND (
      r.least_level <= 0 OR (
        least IS NULL AND r.least_level < 3
      )
    )
    THEN least
  END AS leaf
FROM (
  SELECT
    s."#assigned" AS assigned,
    BOOL_AND(CAST(s."it's ""odd""@value" IS NULL OR NOT l.code_1 IS NULL AS BOOLEAN)) AS known,
    MIN(COALESCE(l.code_0, 0)) = MAX(COALESCE(l.code_0, 0)) AS shared_0,
    MIN(COALESCE(l.code_1, 0)) = MAX(COALESCE(l.code_1, 0)) AS shared_1,
    MIN(COALESCE(l.code_2, 0)) = MAX(COALESCE(l.code_2, 0)) AS shared_2,
    MIN(s."it's ""odd""@value") AS least,
    MIN(l.level_1) AS label_1,
    MIN(l.level_2) AS label_2
  FROM release_set AS s
  LEFT JOIN "release_lookup"."it's ""odd""" AS l
    ON s."it's ""odd""@value" = l.value
  GROUP BY
    s."#assigned"
) AS shared
JOIN least_levels AS r
  ON shared.assigned = r.assigned AND r.attribute = $attribute
