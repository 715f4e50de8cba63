-- The texts of CSV files that are asked about, each under the name of its form and its place among the columns of it.
-- One row: a record.
-- Reads: the reader of the files, all columns as text
-- Binds: files (list), texts (table), forms (list), asked (list)
-- Result: the view texts: "float_0" and so on, and first the stand-in of each form, "float_", which holds NULL.
-- NULL: stays NULL.
CREATE OR REPLACE TEMPORARY VIEW texts AS
SELECT
    each(forms, CAST(NULL AS VARCHAR) AS "{name}_"),
    each(asked, {text} AS "{form}_{place}")
FROM each(files, {reader})
