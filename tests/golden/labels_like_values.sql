SELECT
  COUNT(*)
FROM (
  SELECT DISTINCT
    label
  FROM (
    SELECT
      UNNEST(labels) AS label
    FROM (
      SELECT DISTINCT
        [level_1, level_2] AS labels
      FROM taxonomy."a""b.c"
    ) AS paths
  ) AS listed
) AS named
WHERE
  label IN (
    SELECT
      CAST(value AS TEXT)
    FROM taxonomy."a""b.c"
  )
