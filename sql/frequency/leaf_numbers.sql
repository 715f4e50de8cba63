-- The number behind each leaf code of an ordered column: the value itself, or its rank where it is no number.
-- One row: a distinct value, at its leaf code, code_0; these start at 1.
-- Reads: the column's lookup
-- Binds: lookup (table)
-- NULL: has no row. A value that is no number (a date) counts as its rank.
SELECT
    code_0,
    coalesce(try_cast(value AS DOUBLE), code_0::DOUBLE) AS number
FROM lookup
