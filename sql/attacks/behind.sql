-- Which values stand behind each released label, and behind each node of the taxonomies, released or not, except the
-- root, which covers NULL too.
-- One row: a kind of node, an attribute, a node and a value.
-- Reads: covering, paths, numbered_values
-- Result: released, whether the node is a released label; attribute; node, the number of the label, or of the taxonomy
--   node from 1 in the order of its text; number, that of the value.
-- NULL: a value as others.
WITH nodes AS (
    SELECT TRUE AS released, attribute, unnest(labels) AS node, value
    FROM covering
    UNION ALL
    SELECT DISTINCT
        FALSE AS released,
        attribute,
        dense_rank() OVER (PARTITION BY attribute ORDER BY text NULLS LAST) AS node,
        value
    FROM paths
    WHERE text IS DISTINCT FROM '*'
)
SELECT nodes.released, nodes.attribute, nodes.node, numbered.number
FROM nodes
JOIN numbered_values AS numbered
    ON numbered.attribute = nodes.attribute AND numbered.value IS NOT DISTINCT FROM nodes.value
ORDER BY ALL
