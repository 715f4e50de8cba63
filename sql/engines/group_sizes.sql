-- How many records hold the values of kept columns, and the combinations of all columns, by one scan.
-- One row: a place and a number of holders; a holder is a record, or a value of a column of persons.
-- Reads: relation, a table or a query in brackets which DuckDB, PostgreSQL or Spark has
-- Binds: relation (list), counts (list), alone (list), together (list),
--   grouped (list), rounded (list)
-- Result: place, of a kept column from 0, or -1 for the combinations; holders; held, so many values have so many holders;
--   records, in all; where numbers were read as DOUBLE, whether one of them was rounded.
-- NULL: is a value of its own, and one person.
SELECT
    g.place,
    g.holders,
    count(*) AS held,
    CAST(sum(g.records) AS BIGINT) AS records,
    each(rounded, bool_or(g.rounded) AS rounded;)
FROM (
    SELECT
        each(alone, {place} AS place;),
        each(together, CASE branches(sets, WHEN all_of(marked, GROUPING({column}) = 0) THEN {place}) END AS place;),
        each(counts, {holders} AS holders, {records} AS records),
        each(rounded, bool_or(t.rounded) AS rounded;)
    FROM each(relation, {rows}) AS t
    GROUP BY each(grouped, {columns})
) AS g
GROUP BY g.place, g.holders
