-- The frequency set of a rule, which that of the same rule with a level raised is counted from.
-- One row: a distinct combination of node codes and class value, with its records.
-- Reads: coded_frequency_set
-- Binds: attributes (columns)
-- Result: attributes are the rule's node codes and, of each, the code one level above it.
-- NULL: is code 0, a value of its own, in attributes and class.
CREATE OR REPLACE TEMP TABLE rolled_rule AS
SELECT attributes, "#class", sum("#records")::BIGINT AS "#records"
FROM coded_frequency_set
GROUP BY attributes, "#class"
