SELECT
  COUNT(*) AS attacked,
  COUNT(*) FILTER(WHERE
    held = 1) AS isolated
FROM (
  SELECT
    p.class,
    COALESCE(SUM(o.records), 0) AS held
  FROM predicates AS p
  LEFT JOIN placed_original AS o
    ON o.l_1 = p.l_1 AND o.l_2 = p.l_2 AND ARRAY_CONTAINS(o.l_3, p.l_3)
  GROUP BY
    p.class
) AS held
