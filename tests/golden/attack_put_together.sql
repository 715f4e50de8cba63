SELECT
  CAST(COALESCE(SUM(s1.share * s2.share), 0.0) AS DOUBLE) AS chance
FROM attacked_original AS o
JOIN (
  SELECT
    a_1 AS value,
    CAST(SUM(records) AS DOUBLE) / SUM(SUM(records)) OVER () AS share
  FROM attacked_control
  GROUP BY
    a_1
) AS s1
  ON s1.value IS NOT DISTINCT FROM o.a_1
JOIN (
  SELECT
    a_2 AS value,
    CAST(SUM(records) AS DOUBLE) / SUM(SUM(records)) OVER () AS share
  FROM attacked_control
  GROUP BY
    a_2
) AS s2
  ON s2.value IS NOT DISTINCT FROM o.a_2
