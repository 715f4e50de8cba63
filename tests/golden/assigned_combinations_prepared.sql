CREATE OR REPLACE TEMPORARY TABLE "assigned_combinations" AS
SELECT
  ANY_VALUE(s."age@value") AS "age@value",
  ANY_VALUE(s."it's ""odd""@scanned") AS "it's ""odd""@value",
  ANY_VALUE(f.assigned) AS assigned
FROM combined_set AS s
JOIN found_classes AS f
  ON s."#combination" = f.combination
GROUP BY
  s."#combination",
  s."it's ""odd""@scanned"
