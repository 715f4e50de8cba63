-- Effect: gives an interval that a release shows another label.
-- One row: a row that holds the interval.
-- Reads: the table
-- Binds: relabelled (table), label (column), $old (value), $new (value)
-- NULL: is no interval.
UPDATE relabelled
SET label = $new
WHERE label = $old
