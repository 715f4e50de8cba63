-- What a rule makes of the values of its columns.
-- One row: a value that the source holds in a column of the rule.
-- Reads: exported
-- Result: column_name, level, old_value, new_value, in the order of the rule's columns and of their values.
SELECT
    column_name,
    level,
    old_value,
    new_value
FROM exported
ORDER BY "#node", "#leaf"
