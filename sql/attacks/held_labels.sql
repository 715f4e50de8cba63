-- The label that each record has in a kept column.
-- One row: a record, in order of person and label.
-- Reads: people (person, a_1, ...), labels
-- Binds: people (table), about (list)
-- Result: person; label, its number, 0 for none.
-- NULL: a value of its own.
SELECT t.person, coalesce(b.label, 0) AS label
FROM people AS t
LEFT JOIN labels AS b ON all_of(about, b.attribute = {number} AND b.text IS NOT DISTINCT FROM t.a_{number})
ORDER BY t.person, label
