CREATE OR REPLACE TEMPORARY TABLE classes AS
SELECT
  MIN(class) AS class,
  CAST(SUM(records) AS BIGINT) AS records,
  CAST(SUM(persons) AS BIGINT) AS persons,
  CAST(COALESCE(SUM(held), 0) AS BIGINT) AS held
FROM (
  SELECT
    q_1,
    q_2,
    CAST(class AS BIGINT) AS class,
    CAST(records AS BIGINT) AS records,
    CAST(NULL AS BIGINT) AS persons,
    CAST(NULL AS BIGINT) AS held
  FROM numbered_set
  UNION ALL
  SELECT
    q_1,
    q_2,
    CAST(NULL AS BIGINT) AS class,
    CAST(NULL AS BIGINT) AS records,
    CAST(1 AS BIGINT) AS persons,
    CAST(NULL AS BIGINT) AS held
  FROM audited_persons
  UNION ALL
  SELECT
    q_1,
    q_2,
    CAST(NULL AS BIGINT) AS class,
    CAST(NULL AS BIGINT) AS records,
    CAST(NULL AS BIGINT) AS persons,
    CAST(held AS BIGINT) AS held
  FROM audited_population
) AS parts
GROUP BY
  q_1,
  q_2
