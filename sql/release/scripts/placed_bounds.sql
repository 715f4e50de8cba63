-- The interval of each value: how many of the lower bounds are not above it.
-- One row: a value, or a bound.
-- Reads: the relation, as s, and the lookup of the intervals, whose first one has no bound.
-- Binds: relation (field), value (field), lookup (field), whole (field)
-- Result: value; place.
-- NULL: has no row.
SELECT v."value", CAST(sum(sum(v."bounds")) OVER (ORDER BY v."value") AS {whole}) AS "place" FROM (SELECT b."lower" AS "value",
    1 AS "bounds" FROM {lookup} AS b UNION ALL SELECT {value}, 0 FROM {relation}) AS v WHERE v."value" IS NOT NULL GROUP BY v."value"
