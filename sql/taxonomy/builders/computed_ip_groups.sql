-- One level of an IP taxonomy, second step: a network written out.
-- One row: a value.
-- Reads: computed (value, bits, network: an IPv4 network; wide: an IPv6 network)
-- Binds: computed (table), $four_bits (value), $six_bits (value)
-- Result: dotted (192.168.1.0/24), groups (:2001:db8:0:0:0:0:0:0), slash (/32, that of an IPv6 network).
-- NULL: stays NULL.
SELECT
    (network >> 24)
    || '.'
    || ((network >> 16) & 255)
    || '.'
    || ((network >> 8) & 255)
    || '.'
    || (network & 255)
    || '/'
    || least(bits, $four_bits) AS dotted,
    ':'
    || printf(
        '%x:%x:%x:%x:%x:%x:%x:%x',
        CAST((wide >> 112) & 65535 AS INTEGER),
        CAST((wide >> 96) & 65535 AS INTEGER),
        CAST((wide >> 80) & 65535 AS INTEGER),
        CAST((wide >> 64) & 65535 AS INTEGER),
        CAST((wide >> 48) & 65535 AS INTEGER),
        CAST((wide >> 32) & 65535 AS INTEGER),
        CAST((wide >> 16) & 65535 AS INTEGER),
        CAST(wide & 65535 AS INTEGER)
    ) AS groups,
    '/' || least(bits, $six_bits) AS slash
FROM computed
