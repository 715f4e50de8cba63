-- How many records there are of each row of the set that is swapped.
-- One row: a row of that set, in the order of its number.
-- Reads: swap_set
-- Result: records.
SELECT "#records"::BIGINT AS records
FROM swap_set
ORDER BY "#row"
