-- The ids of the stored rules, with their literals, to complete what is typed.
-- One row: a rule, in the order of their numbers.
-- Reads: rules
-- Result: id, literal.
SELECT id, literal
FROM rules
ORDER BY substr(id, 2)::BIGINT
