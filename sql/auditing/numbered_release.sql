-- What the rows of a release are sorted by, with their places in the file.
-- One row: a row of the file.
-- Reads: release
-- Binds: parts (list)
-- Result: temporary view numbered_release: the parts of columns by which rows are sorted; "#at", the place.
-- NULL: as in the column, and of a text that is no number.
CREATE OR REPLACE TEMPORARY VIEW numbered_release AS
SELECT each(parts, {value} AS "{called}";), row_number() OVER () AS "#at"
FROM release
