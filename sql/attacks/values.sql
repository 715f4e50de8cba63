-- Each attacked value by number: its records, its place on the line of its attribute, and whether a taxonomy has it.
-- One row: an attribute and a value.
-- Reads: numbered_values, places, paths
-- Result: attribute; number; records, those of the original with the value; position, NULL where it has none; placed,
--   whether a taxonomy has the value.
-- NULL: a value as others, without a position.
SELECT
    numbered.attribute,
    numbered.number,
    numbered.original AS records,
    places.position,
    EXISTS (
        SELECT 1 FROM paths WHERE paths.attribute = numbered.attribute AND paths.value IS NOT DISTINCT FROM numbered.value
    ) AS placed
FROM numbered_values AS numbered
JOIN places ON places.attribute = numbered.attribute AND places.value IS NOT DISTINCT FROM numbered.value
ORDER BY numbered.attribute, numbered.number
