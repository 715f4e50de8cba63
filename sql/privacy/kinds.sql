-- Whether an attribute's original values have a place on a line: numbers or moments.
-- One row: an attribute.
-- Reads: original_values
-- Result: temporary table kinds: attribute; kind: number, moment, or name for all others. Digits after a leading zero
--   are a code and no number.
-- NULL: does not count; an attribute of NULLs alone holds names.
CREATE OR REPLACE TEMP TABLE kinds AS
SELECT
    attribute,
    CASE
        WHEN bool_and(try_cast(value AS DOUBLE) IS NOT NULL AND NOT regexp_matches(value, '^[-+]?0[0-9]'))
            FILTER (WHERE value IS NOT NULL) THEN 'number'
        WHEN bool_and(try_cast(value AS TIMESTAMP) IS NOT NULL) FILTER (WHERE value IS NOT NULL) THEN 'moment'
        ELSE 'name'
    END AS kind
FROM original_values
GROUP BY attribute
