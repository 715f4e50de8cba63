-- How many values are not what they should be: no date, no address, no position.
-- One row: the column.
-- Reads: labelled (a relation with the columns value and level_1: a built taxonomy, or the labels of values)
-- Binds: labelled (table), $outside (value)
-- Result: held (values), outside (those whose node has the label $outside).
-- NULL: left out.
SELECT
    count(value) AS held,
    count(*) FILTER (WHERE level_1 = $outside) AS outside
FROM labelled
