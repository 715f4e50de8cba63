-- The texts that are values which few records hold, in the type of a column.
-- One row: a text.
-- Reads: made_texts (text), rare_leaves (code), the lookup of the column
-- Binds: lookup (table), typed (list)
-- Result: text.
-- NULL: does not occur; a text that is no value of the type is none of them.
SELECT DISTINCT m.text
FROM made_texts AS m
JOIN lookup AS l ON each(typed, l.value = TRY_CAST(m.text AS {kind}))
JOIN rare_leaves AS r ON r.code = l.code_0
