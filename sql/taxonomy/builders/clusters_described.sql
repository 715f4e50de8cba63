-- The records of each leaf of a column in each bin of the columns that describe it.
-- One row: a leaf in a bin of a column.
-- Reads: binned_frequency
-- Binds: describing (list)
-- Result: describer (the place of the column in the list, from 0), leaf, bin, records.
-- NULL: is no leaf; bin 0.
united(describing,
    SELECT {n} AS describer, leaf_{leaf} AS leaf, bin_{number} AS bin, sum("#records")::DOUBLE AS records
    FROM binned_frequency
    WHERE leaf_{leaf} > 0
    GROUP BY leaf_{leaf}, bin_{number}
)
