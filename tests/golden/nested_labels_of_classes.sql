SELECT
  c.l_1,
  c.l_2
FROM known_classes AS c
ORDER BY
  c.place NULLS FIRST
