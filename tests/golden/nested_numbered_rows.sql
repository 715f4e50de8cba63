SELECT
  v1.number AS v_1,
  v2.number AS v_2,
  CAST(SUM(s.records) AS BIGINT) AS records
FROM attacked_original AS s
JOIN numbered_values AS v1
  ON v1.attribute = 1 AND v1.value IS NOT DISTINCT FROM s.a_1
JOIN numbered_values AS v2
  ON v2.attribute = 2 AND v2.value IS NOT DISTINCT FROM s.a_2
GROUP BY ALL
