-- A frequency set with the number of each combination's equivalence class.
-- One row: a combination of attributes and sensitive values, with its records, as in the frequency set.
-- Reads: a frequency set of these columns: columns, and "#records"; its classes by name
-- Binds: attributes (columns), sensitive (columns), frequency_set (table), named_classes (table), numbered_set (table)
-- Result: the columns; records; class, the number of the equivalence class.
-- NULL: rows are compared by IS NOT DISTINCT FROM: NULL is a value of its own. Without attributes all is one class.
CREATE OR REPLACE TEMP TABLE numbered_set AS
SELECT frequency_set.attributes, frequency_set.sensitive, frequency_set."#records"::BIGINT AS records, named_classes.class
FROM frequency_set
JOIN named_classes ON row(0, frequency_set.attributes) IS NOT DISTINCT FROM row(0, named_classes.attributes)
