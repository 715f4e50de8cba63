-- Which columns of floating-point numbers hold minus zero.
-- One row: the release.
-- Reads: release
-- Binds: floats (list)
-- Result: c_1 and so on, whether the column holds it.
-- NULL: is none.
SELECT each(floats, coalesce(bool_or("{name}" = 0 AND signbit("{name}")), FALSE) AS c_{n})
FROM release
