-- One level of a prefix taxonomy: the first $kept characters.
-- One row: a value.
-- Reads: computed (value, text)
-- Binds: computed (table), $kept (value)
-- Result: label: a shorter value is its own prefix; a prefix that is * reads **, for * alone is the root, and that of
--   an empty text (empty), for a label says something.
-- NULL: stays NULL.
SELECT CASE left(text, $kept) WHEN '*' THEN '**' WHEN '' THEN '(empty)' ELSE left(text, $kept) END AS label
FROM computed
