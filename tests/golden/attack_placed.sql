CREATE OR REPLACE TEMPORARY TABLE placed_original AS
SELECT
  c1.labels[1] AS l_1,
  c1.position AS n_1,
  c2.labels[1] AS l_2,
  c2.position AS n_2,
  c3.labels AS l_3,
  c3.position AS n_3,
  CAST(SUM(s.records) AS BIGINT) AS records
FROM attacked_original AS s
LEFT JOIN covering AS c1
  ON c1.attribute = 1 AND c1.value IS NOT DISTINCT FROM s.a_1
LEFT JOIN covering AS c2
  ON c2.attribute = 2 AND c2.value IS NOT DISTINCT FROM s.a_2
LEFT JOIN covering AS c3
  ON c3.attribute = 3 AND c3.value IS NOT DISTINCT FROM s.a_3
GROUP BY ALL
