-- Each level of a mask from the left: the last characters, as many as it keeps, with * in front up to a length.
-- One row: a value.
-- Reads: computed (value, text: at any length)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on. Characters that a short value lacks read as masked; those beyond that length have no * of their own.
--   Levels nest as in the mask from the right.
-- NULL: stays NULL.
SELECT *, each(levels, lpad(right(text, {kept}), {length}, '*') AS label_{level})
FROM computed
