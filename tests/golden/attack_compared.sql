CREATE OR REPLACE TEMPORARY TABLE compared AS
SELECT
  target,
  pattern,
  CAST(SUM(records) AS BIGINT) AS records,
  CAST(COALESCE(SUM(records) FILTER(WHERE
    own), 0) AS BIGINT) AS own_rows
FROM (
  SELECT
    t.target,
    CAST((
      CASE WHEN COALESCE(t.l_1 = c.l_1, FALSE) THEN 1 ELSE 0 END + CASE WHEN COALESCE(t.l_2 = c.l_2, FALSE) THEN 2 ELSE 0 END
    ) AS BIGINT) AS pattern,
    (
      COALESCE(t.l_1 = c.l_1, FALSE)
      AND COALESCE(t.l_2 = c.l_2, FALSE)
      AND ARRAY_CONTAINS(t.l_3, c.l_3)
    ) AS own,
    c.records
  FROM targets AS t
  CROSS JOIN released_rows AS c
) AS pairs
GROUP BY
  target,
  pattern
