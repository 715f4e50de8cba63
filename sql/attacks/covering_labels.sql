-- What somebody knows of people, by number: how many people have each value, and the labels that cover it.
-- One row: an attribute, a value that is known of people, and a label that may stand over it.
-- Reads: numbered_values, places, covering
-- Result: attribute; number, that of the value; missing, whether it is NULL; people, the records of the control with
--   it; label, 0 where no label covers the value.
-- NULL: a value of its own here, which is marked.
SELECT
    numbered.attribute,
    numbered.number,
    numbered.value IS NULL AS missing,
    places.control AS people,
    unnest(CASE WHEN len(covering.labels) = 0 THEN [0] ELSE covering.labels END)::INTEGER AS label
FROM numbered_values AS numbered
JOIN places ON places.attribute = numbered.attribute AND places.value IS NOT DISTINCT FROM numbered.value
JOIN covering ON covering.attribute = numbered.attribute AND covering.value IS NOT DISTINCT FROM numbered.value
ORDER BY ALL
