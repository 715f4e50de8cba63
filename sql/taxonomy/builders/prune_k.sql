-- The k of one column alone, generalized to one level: the records of its smallest node.
-- One row: the level.
-- Reads: taxonomy."<column>", leaves
-- Binds: taxonomy (table), node (column)
-- Result: k; NULL where the column has no leaf.
-- NULL: left out of the count.
SELECT min(records)::BIGINT AS k
FROM (
    SELECT sum(leaves.records) AS records
    FROM taxonomy
    JOIN leaves ON leaves.position = taxonomy.code_0
    GROUP BY taxonomy.node
) AS sizes
