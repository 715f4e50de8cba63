-- Sets what a transaction of PostgreSQL goes by, as far as the server knows it, whatever the environment says.
-- One row: a setting.
-- Reads: pg_settings
-- Result: the setting. Values are written as text in one way; the server stops work for a client that is gone, and sends
--   no notices, which the driver would write to the standard error with the values in them; joins are made in the order
--   in which they are written: classes that are kept are found by all of their columns last.
-- NULL: is none.
SELECT set_config(s.name, w.setting, TRUE) AS value
FROM pg_settings AS s
JOIN (
    VALUES
        ('client_encoding', 'UTF8'),
        ('standard_conforming_strings', 'on'),
        ('datestyle', 'ISO, YMD'),
        ('intervalstyle', 'postgres'),
        ('timezone', 'UTC'),
        ('bytea_output', 'hex'),
        ('extra_float_digits', '1'),
        ('client_connection_check_interval', '5s'),
        ('client_min_messages', 'error'),
        ('join_collapse_limit', '1'),
        ('from_collapse_limit', '1')
) AS w (name, setting) ON w.name = lower(s.name)
