-- The chance that a record whose values are drawn from one table, each column by itself, is a row of another.
-- One row: that chance.
-- Reads: ours, theirs (grouped tables: a_1, ..., records)
-- Binds: ours (table), theirs (table), columns (list)
-- Result: chance.
-- NULL: a value of its own.
SELECT coalesce(sum(product_of(columns, s{number}.share)), 0.0)::DOUBLE AS chance
FROM ours AS o
joins(columns,
    JOIN (
        SELECT a_{number} AS value, sum(records)::DOUBLE / sum(sum(records)) OVER () AS share
        FROM theirs
        GROUP BY a_{number}
    ) AS s{number} ON s{number}.value IS NOT DISTINCT FROM o.a_{number}
)
