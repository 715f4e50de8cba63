-- Each level of an IP taxonomy, second step: a network written out.
-- One row: a value.
-- Reads: computed (value, bits, network_1: an IPv4 network; wide_1: an IPv6 network; and so on)
-- Binds: computed (table), levels (list)
-- Result: what was read, and dotted_1 (192.168.1.0/24), groups_1 (:2001:db8:0:0:0:0:0:0), slash_1 (/32, that of an IPv6
--   network) and so on.
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        (network_{level} >> 24)
        || '.'
        || ((network_{level} >> 16) & 255)
        || '.'
        || ((network_{level} >> 8) & 255)
        || '.'
        || (network_{level} & 255)
        || '/'
        || least(bits, {four_bits}) AS dotted_{level},
        ':'
        || printf(
            '%x:%x:%x:%x:%x:%x:%x:%x',
            CAST((wide_{level} >> 112) & 65535 AS INTEGER),
            CAST((wide_{level} >> 96) & 65535 AS INTEGER),
            CAST((wide_{level} >> 80) & 65535 AS INTEGER),
            CAST((wide_{level} >> 64) & 65535 AS INTEGER),
            CAST((wide_{level} >> 48) & 65535 AS INTEGER),
            CAST((wide_{level} >> 32) & 65535 AS INTEGER),
            CAST((wide_{level} >> 16) & 65535 AS INTEGER),
            CAST(wide_{level} & 65535 AS INTEGER)
        ) AS groups_{level},
        '/' || least(bits, {six_bits}) AS slash_{level}
    )
FROM computed
