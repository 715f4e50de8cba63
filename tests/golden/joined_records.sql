CREATE OR REPLACE TEMPORARY VIEW joined_records AS
SELECT
  joined_cells.number AS "#id",
  coded_frequency_set.*
  EXCLUDE ("#records"),
  joined_cells.records AS "#records"
FROM coded_frequency_set
JOIN joined_cells
  ON "#cell" = joined_cells.cell
