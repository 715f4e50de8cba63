-- Notes what built a taxonomy that another step registered.
-- One row: the column.
-- Reads: taxonomies
-- Binds: $column_name (value), $options (value)
-- NULL: no value is NULL.
UPDATE taxonomies
SET options = $options
WHERE column_name = $column_name
