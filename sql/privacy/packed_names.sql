-- The values of the equivalence classes of privacy/packed_cells.sql.
-- One row: a class.
-- Reads: cells (class), the tables packed_0, packed_1, ... (value_0, code: the place of a value)
-- Binds: target (table), cells (table), digits (list)
-- Result: temporary table target: the quasi-identifiers as they are called; class.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT each(digits, packed_{place}.value_0 AS "{called}"), classes.class
FROM (SELECT DISTINCT class FROM cells) AS classes
joins(digits, JOIN packed_{place} ON (classes.class // {step}) % {size} = packed_{place}.code)
