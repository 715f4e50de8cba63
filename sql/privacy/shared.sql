-- LKC: how many records share the values of some quasi-identifiers, and how surely they tell the sensitive value.
-- One row: all combinations of values of these quasi-identifiers.
-- Reads: a frequency set: columns, and "#records"
-- Binds: attributes (columns), sensitive (column), frequency_set (table)
-- Result: k, the records of the smallest combination; c, the largest share that a sensitive value has in one.
-- NULL: a value of its own, in attributes and in the sensitive column.
WITH cells AS (
    SELECT attributes, sum("#records") AS records
    FROM frequency_set
    GROUP BY attributes, sensitive
), combinations AS (
    SELECT sum(records) AS records, max(records) AS most
    FROM cells
    GROUP BY attributes
)
SELECT min(records)::BIGINT AS k, max(most / records) AS c
FROM combinations
