-- Which records a rule leaves out, by what it shows of one column.
-- One row: a node that some record is in.
-- Reads: coded_frequency_set, coded (the part of it that stays)
-- Binds: shown (column), coded (table)
-- Result: node (its code), records (in the source), left_out (those of them that do not stay); in the order of the codes.
-- NULL: is code 0, a node of its own.
WITH every AS (
    SELECT shown AS node, sum("#records")::BIGINT AS records
    FROM coded_frequency_set
    GROUP BY shown
), stays AS (
    SELECT shown AS node, sum("#records")::BIGINT AS records
    FROM coded
    GROUP BY shown
)
SELECT every.node, every.records, every.records - coalesce(stays.records, 0) AS left_out
FROM every
LEFT JOIN stays ON every.node IS NOT DISTINCT FROM stays.node
ORDER BY every.node
