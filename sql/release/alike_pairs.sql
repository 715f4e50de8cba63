-- How many pairs of released records are equal in the columns that they were grouped by.
-- One row: the whole release.
-- Reads: the groups of equal records
-- Binds: groups (table)
-- Result: records, and the pairs of two records of one group.
-- NULL: is a value of its own in a group.
SELECT
    coalesce(sum(groups.records), 0)::BIGINT AS records,
    coalesce(sum(groups.records::HUGEINT * (groups.records - 1) // 2), 0)::HUGEINT AS pairs
FROM groups
