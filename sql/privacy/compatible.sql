-- Which labels of two releases one person can have.
-- One row: an attribute, a label of the later release, a label of the earlier one.
-- Reads: labels, later_values, earlier_values, paths
-- Result: temporary table compatible: attribute; later and earlier, the numbers of labels that have a value in
--   common: the same label, * with any, intervals (and numbers, moments) that overlap, labels of a taxonomy with a
--   value below both, masked texts (12***) whose visible parts are one within the other.
-- NULL: has NULL and * in common with the other release, and no interval; a taxonomy's path from NULL holds.
CREATE OR REPLACE TEMP TABLE compatible AS
WITH later AS (
    SELECT labels.*
    FROM labels
    JOIN later_values AS held ON held.attribute = labels.attribute AND held.value IS NOT DISTINCT FROM labels.text
), earlier AS (
    SELECT labels.*
    FROM labels
    JOIN earlier_values AS held ON held.attribute = labels.attribute AND held.value IS NOT DISTINCT FROM labels.text
), ways AS (
    SELECT attribute, value, text FROM paths
    UNION
    SELECT attribute, value, value AS text FROM paths
), below AS (
    SELECT labels.attribute, labels.label, ways.value
    FROM labels
    JOIN ways ON ways.attribute = labels.attribute AND ways.text IS NOT DISTINCT FROM labels.text
)
SELECT later.attribute, later.label AS later, earlier.label AS earlier
FROM later
JOIN earlier ON earlier.attribute = later.attribute AND earlier.label = later.label
UNION
SELECT later.attribute, later.label AS later, earlier.label AS earlier
FROM later
JOIN earlier ON earlier.attribute = later.attribute
WHERE later.root OR earlier.root
UNION
SELECT later.attribute, later.label AS later, earlier.label AS earlier
FROM later
JOIN earlier
    ON earlier.attribute = later.attribute
    AND later.lower <= earlier.upper
    AND earlier.lower <= later.upper
WHERE
    (later.lower < earlier.upper OR (later.lower_closed AND earlier.upper_closed))
    AND (earlier.lower < later.upper OR (earlier.lower_closed AND later.upper_closed))
UNION
SELECT one.attribute, one.label AS later, other.label AS earlier
FROM below AS one
JOIN below AS other ON other.attribute = one.attribute AND other.value IS NOT DISTINCT FROM one.value
WHERE
    (one.attribute, one.label) IN (SELECT (attribute, label) FROM later)
    AND (other.attribute, other.label) IN (SELECT (attribute, label) FROM earlier)
UNION
SELECT later.attribute, later.label AS later, earlier.label AS earlier
FROM later
JOIN earlier ON earlier.attribute = later.attribute AND len(earlier.text) = len(later.text)
WHERE
    (later.text LIKE '%*' AND starts_with(earlier.text, rtrim(later.text, '*')))
    OR (earlier.text LIKE '%*' AND starts_with(later.text, rtrim(earlier.text, '*')))
    OR (later.text LIKE '*%' AND ends_with(earlier.text, ltrim(later.text, '*')))
    OR (earlier.text LIKE '*%' AND ends_with(later.text, ltrim(earlier.text, '*')))
