CREATE OR REPLACE TEMPORARY TABLE floor_0 AS
SELECT
  value,
  code_0,
  MIN(value) OVER (PARTITION BY "code_2") AS shown,
  MIN(code_0) OVER (PARTITION BY "code_2") AS shown_code
FROM "lookup"."it's ""odd"""
