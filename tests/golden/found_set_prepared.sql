CREATE OR REPLACE TABLE "release_set" AS
SELECT
  f.assigned AS "#assigned",
  s."age@value",
  s."it's ""odd""@value",
  s."income@value",
  s."it's ""odd""@scanned",
  s."#records"
FROM combined_set AS s
JOIN found_classes AS f
  ON s."#combination" = f.combination
