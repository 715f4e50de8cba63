-- What each cell of each released column shows at each level over its values.
-- One row: a cell, a level.
-- Reads: the lookups of the columns
-- Binds: values (list)
-- Result: col, cell, level, node, label; low, high and either, the labels of a node whose outer side is open; ends, whether
--   the cell counts for that.
-- NULL: its cell has no label.
united(values, SELECT {col} AS "col", t{n}.* FROM {shown} AS t{n})
