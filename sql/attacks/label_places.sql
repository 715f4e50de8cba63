-- Where each label lies on the line of its attribute, for models that learn from numbers.
-- One row: an attribute and a label with ends.
-- Reads: labels
-- Binds: nothing
-- Result: attribute; label; middle, that of its two ends; an open end counts as one beyond the outermost end of all
--   labels.
-- NULL: labels without ends (names, NULL, *) have no row.
WITH ended AS (
    SELECT
        attribute,
        label,
        lower,
        upper,
        least(min(lower) FILTER (WHERE isfinite(lower)) OVER along, min(upper) FILTER (WHERE isfinite(upper)) OVER along) - 1 AS lowest,
        greatest(max(lower) FILTER (WHERE isfinite(lower)) OVER along, max(upper) FILTER (WHERE isfinite(upper)) OVER along) + 1 AS highest
    FROM labels
    WHERE lower IS NOT NULL AND upper IS NOT NULL
    WINDOW along AS (PARTITION BY attribute)
)
SELECT
    attribute,
    label,
    (CASE WHEN isfinite(lower) THEN lower ELSE lowest END + CASE WHEN isfinite(upper) THEN upper ELSE highest END) / 2 AS middle
FROM ended
WHERE lowest IS NOT NULL
ORDER BY attribute, label
