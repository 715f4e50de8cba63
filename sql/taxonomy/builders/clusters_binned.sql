-- The bins of the values of some columns that occur together, and the positions of the values of those that are clustered.
-- One row: as in the frequency set.
-- Reads: the frequency set, the bins of each column
-- Binds: frequency (table), binned (table), columns (list), clustered (list), kept (column)
-- Result: temporary table binned: bin_N of the column of number N, leaf_N, the position of its value, where it is clustered,
--   and the column kept, "#records" or "#row".
-- NULL: 0.
CREATE OR REPLACE TEMPORARY TABLE binned AS
SELECT
    each(columns, coalesce(b{number}.bin, 0)::UTINYINT AS bin_{number}),
    each(clustered, coalesce(b{number}.position, 0)::INTEGER AS leaf_{number};),
    f.kept
FROM frequency AS f
joins(columns, LEFT JOIN bins_{number} AS b{number} ON f."{name}@value" = b{number}.value)
