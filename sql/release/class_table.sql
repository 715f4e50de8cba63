-- A table of class assignments as text, whatever types its file has.
-- One row: a line of the table.
-- Reads: release, the view that the table is opened as
-- Binds: record_key (column), assigned_class (column)
-- Result: key, class.
-- NULL: stays NULL; it is refused later, with its count.
SELECT record_key::VARCHAR AS key, assigned_class::VARCHAR AS class
FROM release
