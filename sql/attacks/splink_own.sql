-- The records of each class that agree with a target in all attributes.
-- One row: a target and a class with such records.
-- Reads: targets, released_rows, splink_members
-- Binds: attributes (list)
-- Result: temporary table splink_own: target, member (the class), records.
-- NULL: a value that no label covers agrees with no row.
CREATE OR REPLACE TEMPORARY TABLE splink_own AS
SELECT t.target, m.member, sum(c.records)::BIGINT AS records
FROM targets AS t
JOIN released_rows AS c ON all_of(attributes, {covered})
JOIN splink_members AS m ON m.class = c.class
GROUP BY t.target, m.member
