-- The classes of the release by the known columns, as Splink reads them.
-- One row: a class.
-- Reads: released_rows, splink_members
-- Binds: known (list), lined (list)
-- Result: temporary table splink_rows: unique_id, the class; per attribute l_1, its label or a list of it, and lower_1 and
--   upper_1 where it has a place on a line; records.
CREATE OR REPLACE TEMPORARY TABLE splink_rows AS
SELECT
    m.member AS unique_id,
    each(known, {row_label} AS l_{number}),
    each(lined, any_value(c.lower_{number}) AS lower_{number}, any_value(c.upper_{number}) AS upper_{number};),
    sum(c.records)::BIGINT AS records
FROM released_rows AS c
JOIN splink_members AS m USING (class)
GROUP BY m.member
