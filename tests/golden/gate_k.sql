SELECT
  COUNT(*) AS failing_classes,
  SUM(class_records) AS failing_records,
  MIN(class_records) AS reached
FROM (
  SELECT
    COUNT(*) AS class_records
  FROM @this_model
  GROUP BY
    CAST("age" AS VARCHAR) COLLATE C,
    CAST("it's ""odd""" AS VARCHAR) COLLATE C
) AS classes
WHERE
  class_records < 5
HAVING
  COUNT(*) > 0
