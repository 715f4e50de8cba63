-- Adds the labels that a taxonomy gives to the values of an attribute.
-- One row: a value and a label over it, added to paths.
-- Reads: a taxonomy of one row per value
-- Binds: taxonomy (table), value (column), levels (columns), $attribute (value)
-- Result: rows of paths.
-- NULL: a NULL label is NULL.
INSERT INTO paths
SELECT $attribute::INTEGER AS attribute, taxonomy.value::VARCHAR AS value, unnest([taxonomy.levels]) AS text
FROM taxonomy
