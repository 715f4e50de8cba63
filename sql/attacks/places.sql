-- The values that the attacked records hold, each with its place on the line of its attribute.
-- One row: an attribute and a distinct value of the original or the control.
-- Reads: original_values, control_values, kinds
-- Result: temporary table places: attribute; value; position, a number (moments as seconds), NULL for names; original
--   and control, the records that hold the value.
-- NULL: a value of its own, without a position.
CREATE OR REPLACE TEMP TABLE places AS
WITH held AS (
    SELECT attribute, value, records AS original, 0 AS control FROM original_values
    UNION ALL
    SELECT attribute, value, 0 AS original, records AS control FROM control_values
)
SELECT
    held.attribute,
    held.value,
    CASE any_value(kinds.kind)
        WHEN 'number' THEN try_cast(held.value AS DOUBLE)
        WHEN 'moment' THEN epoch(try_cast(held.value AS TIMESTAMP))
    END AS position,
    sum(held.original)::BIGINT AS original,
    sum(held.control)::BIGINT AS control
FROM held
JOIN kinds ON kinds.attribute = held.attribute
GROUP BY held.attribute, held.value
