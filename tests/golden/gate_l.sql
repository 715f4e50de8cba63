SELECT
  COUNT(*) AS failing_classes,
  SUM(class_records) AS failing_records,
  MIN(class_values) AS reached
FROM (
  SELECT
    COUNT(*) AS class_records,
    COUNT(DISTINCT "it's ""odd""") + MAX(CASE WHEN "it's ""odd""" IS NULL THEN 1 ELSE 0 END) AS class_values
  FROM @this_model
  GROUP BY
    "age"
) AS classes
WHERE
  class_values < 2
HAVING
  COUNT(*) > 0
