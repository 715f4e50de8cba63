CREATE OR REPLACE TEMPORARY TABLE linked AS
WITH distances AS NOT MATERIALIZED (
  SELECT
    t.target,
    (
      CASE
        WHEN COALESCE(t.l_1 = c.l_1, FALSE)
        THEN CAST(0.0 AS DOUBLE)
        WHEN t.n_1 IS NULL OR c.lower_1 IS NULL
        THEN CAST(1.0 AS DOUBLE)
        ELSE LEAST(
          GREATEST((
            c.lower_1 - t.n_1
          ) / 70.0, (
            t.n_1 - c.upper_1
          ) / 70.0, 1e-06),
          CAST(1.0 AS DOUBLE)
        )
      END
    ) / 1 AS first,
    (
      CASE
        WHEN COALESCE(t.l_2 = c.l_2, FALSE)
        THEN CAST(0.0 AS DOUBLE)
        ELSE CAST(1.0 AS DOUBLE)
      END
    ) / 1 AS second,
    (
      COALESCE(t.l_1 = c.l_1, FALSE)
      AND COALESCE(t.l_2 = c.l_2, FALSE)
      AND ARRAY_CONTAINS(t.l_3, c.l_3)
    ) AS own,
    c.records
  FROM targets AS t
  CROSS JOIN released_rows AS c
), nearest AS (
  SELECT
    target,
    MIN(first) AS first,
    MIN(second) AS second
  FROM distances
  GROUP BY
    target
)
SELECT
  d.target,
  CAST(SUM(d.records) FILTER(WHERE
    d.first = n.first) AS BIGINT) AS first_rows,
  CAST(SUM(d.records) FILTER(WHERE
    d.second = n.second) AS BIGINT) AS second_rows,
  CAST(COALESCE(SUM(d.records) FILTER(WHERE
    d.first = n.first AND d.second = n.second), 0) AS BIGINT) AS common_rows,
  CAST(COALESCE(
    SUM(d.records) FILTER(WHERE
      d.first = n.first AND d.second = n.second AND d.own),
    0
  ) AS BIGINT) AS own_rows
FROM distances AS d
JOIN nearest AS n
  ON n.target = d.target
GROUP BY
  d.target
