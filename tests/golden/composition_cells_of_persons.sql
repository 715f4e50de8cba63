CREATE OR REPLACE TEMPORARY TABLE later_cells AS
SELECT
  CAST(1 AS BIGINT) AS class,
  ROW_NUMBER() OVER () AS cell,
  s.a_1,
  CAST(1 AS BIGINT) AS records
FROM later_release AS s
