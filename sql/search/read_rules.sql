-- The stored rules.
-- One row: a rule as JSON, in the order of their numbers.
-- Reads: rules
SELECT to_json(rules)::VARCHAR AS rule
FROM rules
ORDER BY substr(id, 2)::BIGINT
