-- The equivalence classes of a release and their sensitive values, where a class is the number of its rows.
-- One row: a class and values of sensitive columns.
-- Reads: release, the tables packed_0, packed_1, ... (value_0, code: the place of a value)
-- Binds: target (table), digits (list), sensitive (list)
-- Result: temporary table target: the sensitive columns as they are called; records; class.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT
    each(sensitive, r."{name}" AS "{called}";),
    count(*)::BIGINT AS records,
    sum_of(digits, packed_{place}.code * {step}) AS class
FROM release AS r
joins(digits, JOIN packed_{place} ON all_of(names, r."{name}" IS NOT DISTINCT FROM packed_{place}.value_{n}))
GROUP BY ALL
