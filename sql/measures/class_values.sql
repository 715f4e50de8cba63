-- A number for the value of an attribute in each equivalence class.
-- One row: an equivalence class, in the order of their numbers.
-- Reads: named_classes
-- Binds: attribute (column), named_classes (table)
-- Result: code, the same for the same value.
-- NULL: a value of its own.
SELECT dense_rank() OVER (ORDER BY attribute) - 1 AS code
FROM named_classes
ORDER BY class
