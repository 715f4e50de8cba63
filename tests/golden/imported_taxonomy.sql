CREATE OR REPLACE TABLE taxonomy."a""b.c" AS
WITH nodes_1 AS (
  SELECT
    LIST_EXTRACT(path, 1) AS label,
    ROW_NUMBER() OVER (ORDER BY MIN(by_value)) AS code
  FROM hierarchy_leaves
  GROUP BY
    LIST_EXTRACT(path, 1)
), nodes_2 AS (
  SELECT
    LIST_EXTRACT(path, 2) AS label,
    ROW_NUMBER() OVER (ORDER BY MIN(by_value)) AS code
  FROM hierarchy_leaves
  GROUP BY
    LIST_EXTRACT(path, 2)
)
SELECT
  leaves.value,
  LIST_EXTRACT(leaves.path, 1) AS level_1,
  LIST_EXTRACT(leaves.path, 2) AS level_2,
  CAST(leaves.by_value AS INT) AS code_0,
  CAST(nodes_1.code AS INT) AS code_1,
  CAST(nodes_2.code AS INT) AS code_2
FROM hierarchy_leaves AS leaves
JOIN nodes_1
  ON nodes_1.label = LIST_EXTRACT(leaves.path, 1)
JOIN nodes_2
  ON nodes_2.label = LIST_EXTRACT(leaves.path, 2)
ORDER BY
  leaves.by_value
