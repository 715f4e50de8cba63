-- The values of a column in their type, with the labels of the nodes over them, as a lookup of a release has them.
-- One row: a value.
-- Reads: yardstick_shown, where they are text
-- Binds: lookup (table), typed (list), levels (list)
-- Result: temporary table lookup: value; code_0; level_1 and so on.
-- NULL: does not occur as a value.
CREATE OR REPLACE TEMPORARY TABLE lookup AS
SELECT
    each(typed, value::{kind} AS value),
    code_0,
    each(levels, level_{level};)
FROM yardstick_shown
