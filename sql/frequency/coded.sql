-- The frequency set in codes: those of the nodes of each attribute at some levels, and that of the class.
-- One row: as in the frequency set.
-- Reads: frequency, lookup."<column>" of each attribute, class_values
-- Binds: target (table), frequency (table), attributes (list), class_value (column), kept (list)
-- Result: table target: "<name>@<level>" for the levels of each attribute, "#class", kept columns by what they are called,
--   "#records".
-- NULL: is code 0, as is a value that a taxonomy does not know; in kept columns it stays.
CREATE OR REPLACE TABLE target AS
SELECT
    each(attributes, each(levels, coalesce(l{number}.code_{level}, 0) AS "{name}@{level}";);),
    coalesce(c.code, 0) AS "#class",
    each(kept, f."{name}@value" AS "{called}";),
    f."#records"
FROM frequency AS f
joins(attributes, LEFT JOIN "lookup"."{name}" AS l{number} ON f."{name}@value" = l{number}.value;)
LEFT JOIN class_values AS c ON f.class_value = c.value
