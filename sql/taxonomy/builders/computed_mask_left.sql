-- One level of a mask from the left: the last $kept characters, with * in front up to $length.
-- One row: a value.
-- Reads: computed (value, text: at any length)
-- Binds: computed (table), $kept (value), $length (value)
-- Result: label. Characters that a short value lacks read as masked; those beyond $length have no * of their own.
--   Levels nest as in the mask from the right.
-- NULL: stays NULL.
SELECT lpad(right(text, $kept), $length, '*') AS label
FROM computed
