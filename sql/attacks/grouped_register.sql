-- What is known of the people of a register.
-- One row: a combination of values.
-- Reads: register_people
-- Binds: target (table), columns (list)
-- Result: temporary table target: a_1 by the number of each attribute; records, the number of people.
-- NULL: a value of its own.
CREATE OR REPLACE TEMPORARY TABLE target AS
SELECT each(columns, a_{number};), count(*) AS records
FROM register_people
GROUP BY ALL
