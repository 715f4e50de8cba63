SELECT
  COALESCE(s.l_1, 0) AS l_1,
  COALESCE(s.l_2, 0) AS l_2,
  COALESCE(s.l_3[1], 0) AS l_3,
  s.n_1,
  s.n_2,
  s.n_3
FROM targets AS s
ORDER BY
  s.target NULLS FIRST
