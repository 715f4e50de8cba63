-- A number that changes when assignments change, and does not change with the order of lines or the classes' names.
-- One row: all assignments.
-- Reads: assigned_records
SELECT count(*) AS assigned_count, sum(hash(assigned_records)::HUGEINT)::VARCHAR AS digest
FROM assigned_records
