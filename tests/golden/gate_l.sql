SELECT count(*) AS failing_classes, sum(class_records) AS failing_records, min(class_values) AS reached
FROM (
  SELECT
  count(*) AS class_records,
  count(DISTINCT "it's ""odd""") + max(CASE WHEN "it's ""odd""" IS NULL THEN 1 ELSE 0 END) AS class_values
  FROM @this_model
  GROUP BY "age"
) AS classes
WHERE class_values < 2
HAVING count(*) > 0
