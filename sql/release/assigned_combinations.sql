-- The class of each combination of quasi-identifiers.
-- One row: a combination; values that are equal but written differently, as minus zero is, are one.
-- Reads: combined_set, found_classes
-- Binds: columns (list), beside (list)
-- Result: temporary table assigned_combinations: each column as the source has it; assigned, the class. The columns beside
--   are those of which the source has other values than the combination.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE assigned_combinations AS
SELECT
    each(columns, any_value(s."{scanned}") AS "{name}@value"),
    any_value(f.assigned) AS assigned
FROM combined_set AS s
JOIN found_classes AS f ON s."#combination" = f.combination
GROUP BY s."#combination", each(beside, s."{scanned}";)
