SELECT
  MIN(reached) AS reached
FROM (
  WITH sizes AS (
    SELECT
      class,
      COUNT(*) AS diversity,
      SUM(holders) AS holders,
      ROUND(SUM(weight)) AS members
    FROM "cells" AS cells
    GROUP BY
      class
  ), ranked AS (
    SELECT
      cells.class,
      sizes.members,
      SUM(cells.holders) OVER (
        PARTITION BY cells.class
        ORDER BY cells.holders DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS added
    FROM "cells" AS cells
    JOIN sizes
      ON cells.class = sizes.class AND sizes.holders > sizes.members
  ), fewest AS (
    SELECT
      class,
      COUNT(*) FILTER(WHERE
        added < members) + 1 AS diversity
    FROM ranked
    GROUP BY
      class
  )
  SELECT
    sizes.class,
    COALESCE(fewest.diversity, sizes.diversity) AS reached
  FROM sizes
  LEFT JOIN fewest
    ON sizes.class = fewest.class
) AS classes
