-- The rare values of a column with what each shows.
-- One row: a rare value.
-- Reads: given_rare (code, stands, made), the lookup of the column
-- Binds: lookup (table), rare_values (table), typed (list)
-- Result: temporary table rare_values: rare_value; shown, the value that stands for it, or what is made, as the type of the
--   column, or as text where it shows texts; rare, always true.
-- NULL: in shown, a text that is no value of the type.
CREATE OR REPLACE TEMPORARY TABLE rare_values AS
SELECT
    l.value AS rare_value,
    each(typed, coalesce(c.value, TRY_CAST(g.made AS {kind})); coalesce(c.value::VARCHAR, g.made)) AS shown,
    TRUE AS rare
FROM given_rare AS g
LEFT JOIN lookup AS l ON l.code_0 = g.code
LEFT JOIN lookup AS c ON c.code_0 = g.stands
