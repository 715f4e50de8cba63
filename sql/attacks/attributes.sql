-- Whether and how an attack can use each attribute.
-- One row: an attribute.
-- Reads: kinds, labels, places, covering
-- Result: attribute; labels, how many the release has; ordered, whether all of them are points or intervals on a
--   line; span, the length of that line in the original; several, whether some value may stand behind more than one
--   label; unexplained, the share of released records whose label no original value can stand behind; original and
--   control, the share of those records with a value that no label covers.
-- NULL: the label NULL is left out of unexplained and needs no ends; a span without two values is NULL.
WITH explained AS (
    SELECT DISTINCT covering.attribute, unnest(covering.labels) AS label
    FROM covering
    JOIN places ON places.attribute = covering.attribute AND places.value IS NOT DISTINCT FROM covering.value
    WHERE places.original > 0
), by_label AS (
    SELECT
        labels.attribute,
        count(*) AS labels,
        bool_and(labels.text IS NULL OR labels.root OR (labels.lower IS NOT NULL AND labels.upper IS NOT NULL)) AS ordered,
        coalesce(sum(labels.records) FILTER (WHERE labels.text IS NOT NULL AND explained.label IS NULL), 0)
            / sum(labels.records) AS unexplained
    FROM labels
    LEFT JOIN explained ON explained.attribute = labels.attribute AND explained.label = labels.label
    GROUP BY labels.attribute
), by_value AS (
    SELECT
        places.attribute,
        max(places.position) FILTER (WHERE places.original > 0 AND isfinite(places.position))
            - min(places.position) FILTER (WHERE places.original > 0 AND isfinite(places.position)) AS span,
        max(len(covering.labels)) > 1 AS several,
        coalesce(sum(places.original) FILTER (WHERE len(covering.labels) = 0), 0) / sum(places.original) AS original,
        coalesce(sum(places.control) FILTER (WHERE len(covering.labels) = 0), 0) / greatest(sum(places.control), 1) AS control
    FROM places
    JOIN covering ON covering.attribute = places.attribute AND covering.value IS NOT DISTINCT FROM places.value
    GROUP BY places.attribute
)
SELECT
    kinds.attribute,
    by_label.labels,
    by_label.ordered AND kinds.kind <> 'name' AS ordered,
    by_value.span,
    by_value.several,
    by_label.unexplained,
    by_value.original,
    by_value.control
FROM kinds
JOIN by_label ON by_label.attribute = kinds.attribute
JOIN by_value ON by_value.attribute = kinds.attribute
ORDER BY kinds.attribute
