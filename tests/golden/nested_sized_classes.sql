SELECT
  c.l_1,
  c.l_2,
  CAST(SUM(c.records) AS BIGINT) AS records
FROM released_rows AS c
GROUP BY
  c.l_1,
  c.l_2
ORDER BY
  c.l_1 NULLS FIRST,
  c.l_2 NULLS FIRST
