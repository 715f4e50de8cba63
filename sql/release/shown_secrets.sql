-- The records of release_set by equivalence class and value of a sensitive column.
-- One row: a value in an equivalence class.
-- Reads: release_set, assigned_nodes
-- Binds: names (list), secret_value (column)
-- Result: temporary table shown_secrets: equivalence, secret, records. Records that left are not in it.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE shown_secrets AS
SELECT n.equivalence, s.secret_value AS secret, sum(s."#records")::BIGINT AS records
FROM release_set AS s
JOIN (
    SELECT "#assigned", dense_rank() OVER (ORDER BY each(names, "{name}@value")) AS equivalence
    FROM assigned_nodes
) AS n ON s."#assigned" = n."#assigned"
GROUP BY ALL
