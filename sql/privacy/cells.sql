-- The cells of one sensitive attribute: what all models about sensitive values read.
-- One row: an equivalence class and a sensitive value that occurs in it.
-- Reads: a numbered frequency set
-- Binds: sensitive (column), numbered_set (table), cells (table), $named (value), $null_named (value),
--   $harmless (value)
-- Result: class; value; holders, the records that have the value; weight, the same here: the weights of a class sum
--   to its size; concerning, whether bounds of single values count this value: it is among the named texts
--   ($null_named: NULL is named), or with $harmless not among them, so all values if none is named.
-- NULL: a sensitive NULL is a value of its own.
CREATE OR REPLACE TEMP TABLE cells AS
SELECT
    class,
    sensitive AS value,
    sum(records)::BIGINT AS holders,
    sum(records)::BIGINT AS weight,
    CASE
        WHEN len($named::VARCHAR[]) = 0 AND NOT $null_named THEN $harmless
        WHEN sensitive IS NULL THEN $null_named <> $harmless
        ELSE list_contains($named::VARCHAR[], sensitive::VARCHAR) <> $harmless
    END AS concerning
FROM numbered_set
GROUP BY class, sensitive
