CREATE OR REPLACE TABLE taxonomy."a ""b"" c" AS
WITH paths AS MATERIALIZED (
  SELECT
    nodes_1.label AS level_1,
    nodes_1.code AS code_1,
    nodes_2.label AS level_2,
    nodes_2.code AS code_2,
    nodes_3.label AS level_3,
    nodes_3.code AS code_3
  FROM nodes AS nodes_1
  JOIN nodes AS nodes_2
    ON nodes_2.level = 2 AND nodes_2.code = nodes_1.parent
  JOIN nodes AS nodes_3
    ON nodes_3.level = 3 AND nodes_3.code = nodes_2.parent
  WHERE
    nodes_1.level = 1
)
SELECT
  placed.value,
  paths.level_1,
  paths.level_2,
  paths.level_3,
  placed.position AS code_0,
  paths.code_1,
  paths.code_2,
  paths.code_3
FROM placed
JOIN paths
  ON paths.code_1 = placed.parent
