-- The rows of a grouped table whose cells are numbered, with only some of its columns.
-- One row: a cell.
-- Reads: numbered (cell, a_1, ..., records)
-- Binds: target (table), numbered (table), chosen (list)
-- Result: temporary table target: cell; a_1 and so on, the columns in their new places; records.
-- NULL: stays NULL.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT cell, each(chosen, a_{number} AS a_{place};), records
FROM numbered
