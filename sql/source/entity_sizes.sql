-- How many records a person has whose key is a column, and how many are left out of those who have more than they may.
-- One row: the whole source.
-- Reads: counted (all records of the source), in one scan
-- Binds: counted (table), entity (column), $at_most (value)
-- Result: at_most is how many records of a person are used, all if it is NULL; most and left_out, 0 where there is no record; nameless, the records whose key is NULL.
-- NULL: is nobody's key; such records are counted apart.
SELECT
    coalesce(max(least(records, CAST($at_most AS BIGINT))) FILTER (WHERE NOT nameless), 0) AS most,
    coalesce(sum(greatest(records - CAST($at_most AS BIGINT), 0)) FILTER (WHERE NOT nameless), 0) AS left_out,
    coalesce(sum(records) FILTER (WHERE nameless), 0) AS nameless
FROM (
    SELECT
        entity IS NULL AS nameless,
        count(*) AS records
    FROM counted
    GROUP BY entity
) AS persons
