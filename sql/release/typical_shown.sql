-- What each class shows in a column of typical values: what was chosen for its equivalence class.
-- One row: a class that stays.
-- Reads: the table shown, equivalent_classes, chosen_values, the lookup of the column
-- Binds: code (column), made_code (column), lookup (table), shown (table), made (field), own (field)
-- Result: the temporary table shown; levels stay, labels and leaves are those of typical values, and typical_code the leaf
--   code that stands for what the class shows, -1 where that is no value. Where nothing was chosen for a class, or what
--   was made does not fit the type, its label stays.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE shown AS
SELECT
    before.key,
    before.node_level,
    CASE
        WHEN c.code >= 0 THEN ({own})::VARCHAR
        WHEN {made} IS NOT NULL THEN {made}::VARCHAR
        ELSE before.label
    END AS label,
    CASE WHEN c.code >= 0 THEN {own} ELSE {made} END AS leaf,
    CASE WHEN c.code >= 0 THEN c.code WHEN {made} IS NOT NULL THEN c.made_code ELSE -1 END AS typical_code
FROM shown AS before
JOIN equivalent_classes AS e ON before.key = e."#assigned"
JOIN chosen_values AS c ON e."#equivalence" = c."#equivalence"
LEFT JOIN lookup AS l ON c.code = l.code_0
