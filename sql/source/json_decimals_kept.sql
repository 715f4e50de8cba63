-- Whether this DuckDB keeps all digits of a number in JSON that is read as DECIMAL: up to 2.0.0 it is rounded to a
-- floating-point number before.
-- One row: whether it does.
-- Result: kept, true or false.
SELECT json_transform('2.987843797150744974'::JSON, '"DECIMAL(38,18)"') = 2.987843797150744974 AS kept
