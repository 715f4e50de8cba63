CREATE OR REPLACE TEMPORARY TABLE splink_own AS
SELECT
  t.target,
  m.member,
  CAST(SUM(c.records) AS BIGINT) AS records
FROM targets AS t
JOIN released_rows AS c
  ON (
    COALESCE(t.l_1 = c.l_1, FALSE)
    AND COALESCE(t.l_2 = c.l_2, FALSE)
    AND ARRAY_CONTAINS(t.l_3, c.l_3)
    AND COALESCE(t.l_4 = c.l_4, FALSE)
  )
JOIN splink_members AS m
  ON m.class = c.class
GROUP BY
  t.target,
  m.member
