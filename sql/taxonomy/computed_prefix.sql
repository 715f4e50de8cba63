-- One level of a prefix taxonomy: the first $kept characters.
-- One row: a value.
-- Reads: computed (value, text)
-- Binds: computed (table), $kept (value)
-- Result: label: a shorter value is its own prefix; a prefix that is * reads **, for * alone is the root.
-- NULL: stays NULL.
SELECT CASE left(text, $kept) WHEN '*' THEN '**' ELSE left(text, $kept) END AS label
FROM computed
