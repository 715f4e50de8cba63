-- Effect: adds what a rule makes of each value that the source holds in one column.
-- Reads: where the column's values stand in its taxonomy
-- Binds: lookup (table), label (column), $column (value), $level (value), $number (value), $root_label (value),
--   $labelled (value)
-- NULL: has no row; a value that the taxonomy does not know has NULL in its path, and $labelled says whether the root
--   label takes its place: not where numbers keep their own values.
INSERT INTO exported
SELECT
    $column::VARCHAR AS column_name,
    $level::INTEGER AS level,
    CAST(lookup.value AS VARCHAR) AS old_value,
    CASE
        WHEN lookup.code_1 IS NULL AND $labelled::BOOLEAN THEN $root_label::VARCHAR
        ELSE CAST(label AS VARCHAR)
    END AS new_value,
    $number::INTEGER AS "#node",
    row_number() OVER (ORDER BY lookup.value) AS "#leaf"
FROM lookup
