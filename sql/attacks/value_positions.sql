-- Where each value stands on the line of its attribute, and whether a taxonomy has it.
-- One row: an attribute and a value.
-- Reads: numbered_values, places, paths
-- Binds: nothing
-- Result: attribute; number, that of the value; position, NULL where it has none; placed, whether
--   a taxonomy has the value.
-- NULL: a value as others, without a position.
SELECT
    numbered.attribute,
    numbered.number,
    places.position,
    EXISTS (
        SELECT 1 FROM paths WHERE paths.attribute = numbered.attribute AND paths.value IS NOT DISTINCT FROM numbered.value
    ) AS placed
FROM numbered_values AS numbered
JOIN places ON places.attribute = numbered.attribute AND places.value IS NOT DISTINCT FROM numbered.value
ORDER BY numbered.attribute, numbered.number
