SELECT
  g.place,
  g.holders,
  COUNT(*) AS held,
  CAST(SUM(g.records) AS BIGINT) AS records
FROM (
  SELECT
    CASE
      WHEN GROUPING(t."job") = 0 AND GROUPING(t."an ""odd"" name") = 0
      THEN -1
      WHEN GROUPING(t."job") = 0
      THEN 0
      WHEN GROUPING(t."an ""odd"" name") = 0
      THEN 1
    END AS place,
    COUNT(DISTINCT t."mail") + MAX(CASE WHEN t."mail" IS NULL THEN 1 ELSE 0 END) AS holders,
    COUNT(*) AS records
  FROM release AS t
  GROUP BY
    GROUPING SETS (
      (t."job"),
      (t."an ""odd"" name"),
      (t."job", t."an ""odd"" name", t."age")
    )
) AS g
GROUP BY
  g.place,
  g.holders
