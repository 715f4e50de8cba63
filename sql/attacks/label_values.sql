-- Which values stand behind each label.
-- One row: an attribute, a label and a value.
-- Reads: covering, numbered_values
-- Binds: nothing
-- Result: attribute; node, the label's number; number, that of the value.
-- NULL: a value as others.
SELECT covering.attribute, unnest(covering.labels) AS node, numbered.number
FROM covering
JOIN numbered_values AS numbered
    ON numbered.attribute = covering.attribute AND numbered.value IS NOT DISTINCT FROM covering.value
ORDER BY ALL
