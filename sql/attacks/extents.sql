-- How much each released label covers of what the original holds.
-- One row: an attribute and a label.
-- Reads: labels, covering, places
-- Result: temporary table extents: attribute; label; covered, the distinct values of the original or the control that
--   may stand behind the label, at least 1; share, of the original's records those with such a value.
-- NULL: the label NULL has a number as others do, and the value NULL counts as one.
CREATE OR REPLACE TEMP TABLE extents AS
WITH behind AS (
    SELECT covering.attribute, unnest(covering.labels) AS label, places.original AS records
    FROM covering
    JOIN places ON places.attribute = covering.attribute AND places.value IS NOT DISTINCT FROM covering.value
), totals AS (
    SELECT attribute, sum(original) AS records
    FROM places
    GROUP BY attribute
)
SELECT
    labels.attribute,
    labels.label,
    greatest(count(behind.label), 1) AS covered,
    coalesce(sum(behind.records), 0) / any_value(totals.records) AS share
FROM labels
JOIN totals ON totals.attribute = labels.attribute
LEFT JOIN behind ON behind.attribute = labels.attribute AND behind.label = labels.label
GROUP BY labels.attribute, labels.label
