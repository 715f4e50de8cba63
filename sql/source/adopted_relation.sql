-- A relation of the caller's as a table.
-- One row: a row of the relation.
-- Reads: relation_stream (registered while this runs)
-- Binds: adopted (table)
-- NULL: stays NULL.
CREATE OR REPLACE TABLE adopted AS
FROM relation_stream
