CREATE OR REPLACE TEMPORARY TABLE splink_rows AS
SELECT
  m.member AS unique_id,
  ANY_VALUE(c.l_1) AS l_1,
  ANY_VALUE(c.lower_1) AS lower_1,
  ANY_VALUE(c.upper_1) AS upper_1,
  ANY_VALUE(c.l_2) AS l_2,
  [ANY_VALUE(c.l_3)] AS l_3,
  CAST(SUM(c.records) AS BIGINT) AS records
FROM released_rows AS c
JOIN splink_members AS m
  USING (class)
GROUP BY
  m.member
