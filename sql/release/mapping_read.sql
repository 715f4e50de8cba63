-- What a rule makes of the values of its columns.
-- One row: a value that the source holds in a column of the rule.
-- Reads: exported
-- Binds: nothing
-- Result: column_name, level, old_value, new_value, in the order of the rule's columns and of their values.
-- NULL: none occurs.
SELECT
    column_name,
    level,
    old_value,
    new_value
FROM exported
ORDER BY "#node", "#leaf"
