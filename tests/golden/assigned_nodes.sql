CREATE OR REPLACE TEMPORARY TABLE "assigned_nodes" AS
SELECT
  c.assigned AS "#assigned",
  n0.node_level AS "age@level",
  n0.label AS "age@value",
  n0.leaf AS "age@leaf",
  n1.node_level AS "it's ""odd""@level",
  n1.label AS "it's ""odd""@value",
  n1.leaf AS "it's ""odd""@leaf"
FROM assigned_classes AS c
JOIN "age nodes" AS n0
  ON c.assigned = n0.assigned
JOIN "it's ""odd"" nodes" AS n1
  ON c.assigned = n1.assigned
