-- One level of an IP taxonomy, last step: the network's label, as RFC 5952 writes it.
-- One row: a value.
-- Reads: computed (value, dotted, groups, slash, zeros, start)
-- Binds: computed (table)
-- Result: label: 192.168.1.0/24 or 2001:db8::/32; text that is no address is (not an address).
-- NULL: stays NULL.
SELECT
    CASE
        WHEN value IS NULL THEN NULL
        WHEN dotted IS NOT NULL THEN dotted
        WHEN groups IS NULL THEN '(not an address)'
        WHEN zeros IS NULL THEN substr(groups, 2) || slash
        ELSE substr(left(groups, start - 1), 2)
            || ':'
            || coalesce(nullif(substr(groups, start + length(zeros)), ''), ':')
            || slash
    END AS label
FROM computed
