-- The gaps between values of a column that a cut parts, but for those beside infinities and NaN.
-- One row: a gap.
-- Reads: the column's lookup, the leaf codes around each gap
-- Binds: lookup (table), given (table)
-- Result: temporary tables gaps: code_1 (the number of the gap), below, above, exact (FALSE); and numbered_splits, which
--   is empty: within such gaps nothing is parted.
-- NULL: has no row in a lookup.
CREATE OR REPLACE TEMP TABLE gaps AS
SELECT given.code_1::INTEGER AS code_1, low.value AS below, high.value AS above, FALSE AS exact
FROM given
JOIN lookup AS low ON low.code_0 = given.code_below
JOIN lookup AS high ON high.code_0 = given.code_above
WHERE low.value::VARCHAR NOT IN ('-inf', 'inf', 'nan') AND high.value::VARCHAR NOT IN ('-inf', 'inf', 'nan')
