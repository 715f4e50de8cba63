CREATE OR REPLACE TEMPORARY TABLE linked AS
WITH pairs AS NOT MATERIALIZED (
  SELECT
    t.target,
    ROUND(
      CASE WHEN (
        ARRAY_CONTAINS(t.l_1, c.l_1)
      ) THEN w1.agrees ELSE w1.differs END + CASE WHEN (
        COALESCE(t.l_2 = c.l_2, FALSE)
      ) THEN w2.agrees ELSE w2.differs END,
      9
    ) AS weight,
    CASE
      WHEN (
        ARRAY_CONTAINS(t.l_1, c.l_1)
        AND COALESCE(t.l_2 = c.l_2, FALSE)
        AND COALESCE(t.l_3 = c.l_3, FALSE)
      )
      THEN o.rate
      ELSE 0
    END AS rate,
    c.records
  FROM targets AS t
  CROSS JOIN released_rows AS c
  LEFT JOIN own_rates AS o
    ON o.class = c.class
  JOIN label_weights AS w1
    ON w1.attribute = 1 AND w1.label = c.l_1
  JOIN label_weights AS w2
    ON w2.attribute = 2 AND w2.label = c.l_2
), best AS (
  SELECT
    target,
    MAX(weight) AS weight,
    SUM(rate) AS rate
  FROM pairs
  GROUP BY
    target
)
SELECT
  p.target,
  CAST(SUM(p.records) AS BIGINT) AS first_rows,
  CAST(SUM(p.records) AS BIGINT) AS second_rows,
  CAST(SUM(p.records) AS BIGINT) AS common_rows,
  CAST(COALESCE(SUM(p.rate) / NULLIF(ANY_VALUE(b.rate), 0), 0) AS DOUBLE) AS own_rows
FROM pairs AS p
JOIN best AS b
  ON b.target = p.target AND b.weight = p.weight
GROUP BY
  p.target
