-- The cells of one sensitive attribute: what all models about sensitive values read.
-- One row: an equivalence class and a sensitive value that occurs in it, with its records.
-- Reads: a numbered frequency set
-- Binds: sensitive (column), numbered_set (table), cells (table)
-- Result: class; value; records.
-- NULL: a sensitive NULL is a value of its own.
CREATE OR REPLACE TEMP TABLE cells AS
SELECT class, sensitive AS value, sum(records)::BIGINT AS records
FROM numbered_set
GROUP BY class, sensitive
