CREATE OR REPLACE TABLE floor_cells AS
SELECT
  s."#cell" AS sampled,
  n."#cell" AS "#cell"
FROM sampled AS s
LEFT JOIN floor_1 AS l1
  ON s."it's ""odd""@0" = l1.code_0
JOIN coded_numbered AS n
  ON s."#class" = n."#class"
  AND s."age@0" = n."age@0"
  AND COALESCE(l1.shown_code, 0) = n."it's ""odd""@0"
