SELECT
  MIN(reached) AS reached
FROM (
  WITH ranked AS (
    SELECT
      class,
      SUM(holders) OVER (
        PARTITION BY class
        ORDER BY holders DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS added,
      ROUND(SUM(weight) OVER (PARTITION BY class)) AS members
    FROM "cells" AS cells
  )
  SELECT
    class,
    COUNT(*) FILTER(WHERE
      added < members) + 1 AS reached
  FROM ranked
  GROUP BY
    class
) AS classes
