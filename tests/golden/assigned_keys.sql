CREATE OR REPLACE TEMPORARY TABLE "assigned_keys" AS
SELECT
  TRY_CAST(key AS DECIMAL(10, 2)) AS key,
  key AS written,
  class
FROM class_table
