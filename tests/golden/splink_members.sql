CREATE OR REPLACE TEMPORARY TABLE splink_members AS
SELECT
  c.class,
  DENSE_RANK() OVER (ORDER BY c.l_1, c.l_2, c.l_3) AS member
FROM released_rows AS c
