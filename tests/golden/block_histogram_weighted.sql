INSERT INTO pattern_blocks
SELECT
  (
    (
      XOR(x.w0, y.w0) + 125535640589697023
    ) & 162694735562014720
  ) AS key_0,
  CAST(SUM(x.n * y.n) AS BIGINT) AS pairs,
  CAST(NULL AS BIGINT) AS missed
FROM (
  SELECT
    *
  FROM packed_records
  WHERE
    id BETWEEN $first AND $last
) AS x
CROSS JOIN (
  SELECT
    *
  FROM packed_records
  WHERE
    id > $last
) AS y
GROUP BY ALL
UNION ALL
SELECT
  (
    (
      XOR(x.w0, y.w0) + 125535640589697023
    ) & 162694735562014720
  ) AS key_0,
  CAST(SUM(x.n * y.n) AS BIGINT) AS pairs,
  CAST(NULL AS BIGINT) AS missed
FROM (
  SELECT
    *
  FROM packed_records
  WHERE
    id BETWEEN $first AND $last
) AS x
JOIN (
  SELECT
    *
  FROM packed_records
  WHERE
    id BETWEEN $first AND $last
) AS y
  ON x.id < y.id
GROUP BY ALL
