-- The combinations of values, and where each value stands in the order of its column.
-- One row: a combination.
-- Reads: the records, the places of the values of each column
-- Binds: records (field), values (list)
-- Result: combination (a number), records, the numbers of the values, their places.
-- NULL: has a place of its own.
SELECT row_number() OVER (ORDER BY each(values, c."{id}")) AS "combination", c.*, each(values, v{n}."place" AS "{place}")
FROM (SELECT each(values, r."{id}"), count(*) AS "records" FROM {records} AS r GROUP BY each(values, r."{id}")) AS c
joins(values, JOIN {placed} AS v{n} ON v{n}."id" = c."{id}";)
