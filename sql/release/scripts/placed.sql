-- The rows of a release, sorted and then dealt to 64 buckets by a hash of their position, as any engine computes it.
-- One row: as in the rows.
-- Reads: the rows, as sorted.
-- Binds: rows (field), whole (field), names (list), place (column)
-- Result: the columns, bucket by bucket, sorted inside: see anonduck/statements/row_order.py. The place, from 1, is called
--   as no column is.
-- Each MOD stands in brackets where it is multiplied: what reads the text may write it as %.
-- NULL: is a value as any other; where it stands in the order is the engine's own affair.
SELECT each(names, placed."{name}")
FROM (
    SELECT
        each(names, sorted."{name}"),
        CAST(row_number() OVER (ORDER BY each(names, sorted."{name}")) AS {whole}) AS place
    FROM {rows} AS sorted
) AS placed
ORDER BY
    MOD(MOD((MOD((MOD((MOD(placed.place, 2147483647)) * 1103515245 + 12345, 2147483647))
        * (MOD((MOD(placed.place, 2147483647)) * 1103515245 + 12345, 2147483647)), 2147483647))
        * ((MOD((MOD(placed.place, 2147483647)) * 1103515245 + 12345, 2147483647)) + 987654321), 2147483647), 64),
    placed.place
