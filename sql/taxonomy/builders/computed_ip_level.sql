-- Each level of an IP taxonomy, last step: the network's label, as RFC 5952 writes it.
-- One row: a value.
-- Reads: computed (value, and dotted_1, groups_1, slash_1, zeros_1, start_1 and so on)
-- Binds: computed (table), levels (list)
-- Result: what was read, and label_1 and so on: 192.168.1.0/24 or 2001:db8::/32; text that is no address is (not an address).
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        CASE
            WHEN value IS NULL THEN NULL
            WHEN dotted_{level} IS NOT NULL THEN dotted_{level}
            WHEN groups_{level} IS NULL THEN '(not an address)'
            WHEN zeros_{level} IS NULL THEN substr(groups_{level}, 2) || slash_{level}
            ELSE substr(left(groups_{level}, start_{level} - 1), 2)
                || ':'
                || coalesce(nullif(substr(groups_{level}, start_{level} + length(zeros_{level})), ''), ':')
                || slash_{level}
        END AS label_{level}
    )
FROM computed
