-- Each released label with its records and its place on the line of its attribute, for models that learn from numbers.
-- One row: an attribute and a label.
-- Reads: labels
-- Result: attribute; label; records; middle, halfway between the two ends; an open end counts as one beyond the outermost
--   end of all labels.
-- NULL: the label NULL has a number as others do. The middle of a label without ends (a name, NULL, *) is NULL.
WITH ended AS (
    SELECT
        attribute,
        label,
        records,
        CASE WHEN upper IS NOT NULL THEN lower END AS lower,
        CASE WHEN lower IS NOT NULL THEN upper END AS upper
    FROM labels
), placed AS (
    SELECT
        *,
        least(min(lower) FILTER (WHERE isfinite(lower)) OVER along, min(upper) FILTER (WHERE isfinite(upper)) OVER along) - 1 AS lowest,
        greatest(max(lower) FILTER (WHERE isfinite(lower)) OVER along, max(upper) FILTER (WHERE isfinite(upper)) OVER along) + 1 AS highest
    FROM ended
    WINDOW along AS (PARTITION BY attribute)
)
SELECT
    attribute,
    label,
    records,
    CASE
        WHEN lower IS NOT NULL
            THEN (CASE WHEN isfinite(lower) THEN lower ELSE lowest END + CASE WHEN isfinite(upper) THEN upper ELSE highest END) / 2
    END AS middle
FROM placed
ORDER BY attribute, label
