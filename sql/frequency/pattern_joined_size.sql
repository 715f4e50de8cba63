-- How many rows and records the join of pairs reads, and how many pairs lie within single rows.
-- One row: the whole of joined_records.
-- Reads: joined_records
-- Binds: nothing
-- NULL: does not occur.
SELECT count(*) AS joined_rows, sum("#records")::BIGINT AS records, max("#records") AS largest,
    sum("#records"::HUGEINT * ("#records" - 1) // 2)::BIGINT AS pairs_inside
FROM joined_records
