SELECT
  s.l_1,
  s.l_2,
  s.l_3,
  s.records
FROM released_rows AS s
ORDER BY
  s.class NULLS FIRST
