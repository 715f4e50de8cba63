SELECT
  t.target - 1 AS owner,
  c.place,
  c.width
FROM targets AS t
JOIN known_classes AS c
  ON (
    ARRAY_CONTAINS(t.l_1, c.l_1) AND COALESCE(t.l_2 = c.l_2, FALSE)
  )
ORDER BY
  owner NULLS FIRST,
  c.width NULLS FIRST,
  c.place NULLS FIRST
