SELECT
  MIN(reached) AS reached
FROM (
  SELECT
    class,
    COUNT(*) AS reached
  FROM "cells" AS cells
  GROUP BY
    class
) AS classes
