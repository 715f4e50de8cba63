-- The frequency set of records that were drawn from the rows of another one.
-- One row: a row with a drawn record.
-- Reads: evaluated_cells, drawn_counts ("#row" and the drawn records)
-- Binds: target (table), columns (list)
-- Result: temporary table target: "<column>@value", and the drawn records as "#records".
-- NULL: stays NULL.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    each(columns, cells."{called}" AS "{name}@value"),
    drawn.records AS "#records"
FROM evaluated_cells AS cells
JOIN drawn_counts AS drawn ON cells."#row" = drawn."#row"
