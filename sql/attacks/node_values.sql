-- Which values stand behind each node of the taxonomies, released or not, but the root, which is over NULL too.
-- One row: an attribute, a node and a value.
-- Reads: paths, numbered_values
-- Binds: nothing
-- Result: attribute; node, a number from 1 in the order of the label; number, that of the value.
-- NULL: a value as others.
SELECT DISTINCT
    paths.attribute,
    dense_rank() OVER (PARTITION BY paths.attribute ORDER BY paths.text NULLS LAST) AS node,
    numbered.number
FROM paths
JOIN numbered_values AS numbered
    ON numbered.attribute = paths.attribute AND numbered.value IS NOT DISTINCT FROM paths.value
WHERE paths.text IS DISTINCT FROM '*'
ORDER BY ALL
