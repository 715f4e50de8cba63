CREATE OR REPLACE TEMPORARY TABLE overlapping_cells AS
SELECT
  later.class AS later,
  earlier.class AS earlier,
  later.cell AS later_cell,
  earlier.cell AS earlier_cell,
  later.records AS later_records,
  earlier.records AS earlier_records
FROM later_cells AS later
JOIN compatible AS c1
  ON c1.attribute = 1 AND c1.later = later.l_1
JOIN compatible AS c3
  ON c3.attribute = 3 AND c3.later = later.l_3
JOIN earlier_cells AS earlier
  ON earlier.l_1 = c1.earlier
  AND earlier.l_3 = c3.earlier
  AND earlier.a_4 IS NOT DISTINCT FROM later.a_4
