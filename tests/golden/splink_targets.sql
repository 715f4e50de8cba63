CREATE OR REPLACE TEMPORARY TABLE splink_targets AS
SELECT
  t.target AS unique_id,
  COALESCE(t.l_1, 0) AS l_1,
  t.n_1 AS lower_1,
  t.n_1 AS upper_1,
  COALESCE(t.l_2, 0) AS l_2,
  COALESCE(t.l_3, CAST([] AS INT[])) AS l_3
FROM targets AS t
WHERE
  t.target <= $limit
