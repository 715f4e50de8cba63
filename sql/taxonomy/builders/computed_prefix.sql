-- Each level of a prefix taxonomy: the first characters, as many as it keeps.
-- One row: a value.
-- Reads: computed (value, text)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on: a shorter value is its own prefix; a prefix that is * reads **, for * alone is the root, and that of
--   an empty text (empty), for a label says something.
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        CASE left(text, {kept}) WHEN '*' THEN '**' WHEN '' THEN '(empty)' ELSE left(text, {kept}) END AS label_{level}
    )
FROM computed
