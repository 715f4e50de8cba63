-- How much of each release has labels of an attribute that the other release has nothing in common with.
-- One row: an attribute.
-- Reads: kinds, labels, compatible, later_values, earlier_values
-- Result: attribute; ordered, whether its labels are numbers, moments or intervals of them; later and earlier, the
--   shares of records.
-- NULL: a label of its own.
WITH held AS (
    SELECT labels.attribute, labels.label, coalesce(later.records, 0) AS later, coalesce(earlier.records, 0) AS earlier
    FROM labels
    LEFT JOIN later_values AS later
        ON later.attribute = labels.attribute AND later.value IS NOT DISTINCT FROM labels.text
    LEFT JOIN earlier_values AS earlier
        ON earlier.attribute = labels.attribute AND earlier.value IS NOT DISTINCT FROM labels.text
), matched AS (
    SELECT
        held.*,
        (held.attribute, held.label) IN (SELECT (attribute, compatible.later) FROM compatible) AS later_met,
        (held.attribute, held.label) IN (SELECT (attribute, compatible.earlier) FROM compatible) AS earlier_met
    FROM held
)
SELECT
    matched.attribute,
    any_value(kinds.kind) <> 'name' AS ordered,
    sum(CASE WHEN later_met THEN 0 ELSE later END) / sum(later) AS later,
    sum(CASE WHEN earlier_met THEN 0 ELSE earlier END) / sum(earlier) AS earlier
FROM matched
JOIN kinds ON kinds.attribute = matched.attribute
GROUP BY matched.attribute
ORDER BY matched.attribute
