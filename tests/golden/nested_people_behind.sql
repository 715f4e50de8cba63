SELECT
  t.person,
  t.records AS people,
  c.class,
  c.records
FROM (
  SELECT
    ROW_NUMBER() OVER (ORDER BY HASH(s)) AS person,
    s.*
  FROM placed_original AS s
  ORDER BY
    HASH(s) NULLS FIRST
  LIMIT $limit
) AS t
JOIN released_rows AS c
  ON (
    ARRAY_CONTAINS(t.l_1, c.l_1)
    AND COALESCE(t.l_2 = c.l_2, FALSE)
    AND COALESCE(t.l_3 = c.l_3, FALSE)
  )
