-- Each level of a mask from the right: the first characters, as many as it keeps, then * up to a length.
-- One row: a value.
-- Reads: computed (value, text: at any length)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on. Characters that a short value lacks read as masked; those beyond that length have no * of their own. The
--   label of a level is made from the label below it alone, so levels nest; a value that reads like a label is masked
--   to just that label, so no label names a value that its node does not contain.
-- NULL: stays NULL.
SELECT *, each(levels, rpad(left(text, {kept}), {length}, '*') AS label_{level})
FROM computed
