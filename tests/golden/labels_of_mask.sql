WITH held_values AS (
  SELECT
    value
  FROM "held"
), read_1 AS (
  SELECT
    value,
    LPAD(text, CAST(GREATEST(LENGTH(text), 3) AS INT), '0') AS text
  FROM (
    SELECT
      value,
      CAST(value AS TEXT) AS text
    FROM "held_values" AS held
  ) AS texts
), computed_1 AS (
  SELECT
    *,
    RPAD(LEFT(text, 2), 3, '*') AS label_1,
    RPAD(LEFT(text, 1), 3, '*') AS label_2
  FROM read_1
)
SELECT
  value,
  label_1 AS level_1,
  label_2 AS level_2,
  CASE WHEN NOT value IS NULL THEN '*' END AS level_3
FROM computed_1
