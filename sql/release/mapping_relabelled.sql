-- Effect: gives the intervals of one column in a mapping the label that a release shows.
-- One row: a value whose interval is called otherwise.
-- Reads: exported
-- Binds: $column (value), $old (value), $new (value)
UPDATE exported
SET new_value = $new
WHERE column_name = $column AND new_value = $old
