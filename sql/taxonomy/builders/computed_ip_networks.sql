-- Each level of an IP taxonomy, first step: the network that the first bits of an address are.
-- One row: a value.
-- Reads: computed (value, four, six, bits)
-- Binds: computed (table), levels (list)
-- Result: what was read, and network_1 (an IPv4 network), wide_1 (an IPv6 network) and so on, as numbers. A network that is larger than the level's
--   stays as it is.
-- NULL: stays NULL.
SELECT
    *,
    each(levels,
        (four >> CAST(32 - least(bits, {four_bits}) AS UBIGINT)) << CAST(32 - least(bits, {four_bits}) AS UBIGINT)
            AS network_{level},
        (six >> CAST(128 - least(bits, {six_bits}) AS UHUGEINT)) << CAST(128 - least(bits, {six_bits}) AS UHUGEINT)
            AS wide_{level}
    )
FROM computed
