-- The people of a register that is open as release, in an order that a seed draws.
-- One row: a record of the register.
-- Reads: release
-- Binds: key (column), columns (list), $seed (value)
-- Result: temporary table register_people: person, a number from 1; key; and the columns as text, a_1 by the number of
--   their attribute.
-- NULL: stays NULL; a key that is NULL is a person too.
CREATE OR REPLACE TEMPORARY TABLE register_people AS
SELECT row_number() OVER (ORDER BY hash(r."key", $seed::BIGINT), r."key") AS person, r.*
FROM (
    SELECT release.key::VARCHAR AS "key", each(columns, release."{name}"::VARCHAR AS a_{number};)
    FROM release
) AS r
