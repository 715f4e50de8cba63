-- One level of a mask from the right: the first $kept characters, then * up to $length.
-- One row: a value.
-- Reads: computed (value, text: at any length)
-- Binds: computed (table), $kept (value), $length (value)
-- Result: label. Characters that a short value lacks read as masked; those beyond $length have no * of their own. The
--   label of a level is made from the label below it alone, so levels nest; a value that reads like a label is masked
--   to just that label, so no label names a value that its node does not contain.
-- NULL: stays NULL.
SELECT rpad(left(text, $kept), $length, '*') AS label
FROM computed
