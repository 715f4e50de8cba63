SELECT
  label,
  records,
  holders,
  COUNT(*) AS classes
FROM (
  SELECT
    s.l_3 AS label,
    CAST(SUM(s.records) AS BIGINT) AS holders,
    CAST(SUM(SUM(s.records)) OVER (PARTITION BY s.l_1, s.l_2) AS BIGINT) AS records
  FROM released_rows AS s
  GROUP BY
    s.l_1,
    s.l_2,
    s.l_3
) AS held
GROUP BY
  label,
  records,
  holders
ORDER BY
  label NULLS FIRST,
  records NULLS FIRST,
  holders NULLS FIRST
