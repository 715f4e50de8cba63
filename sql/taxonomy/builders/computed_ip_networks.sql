-- One level of an IP taxonomy, first step: the network that the first bits of an address are.
-- One row: a value.
-- Reads: computed (value, four, six, bits)
-- Binds: computed (table), $four_bits (value), $six_bits (value)
-- Result: network (an IPv4 network), wide (an IPv6 network), as numbers. A network that is larger than the level's
--   stays as it is.
-- NULL: stays NULL.
SELECT
    (four >> CAST(32 - least(bits, $four_bits) AS UBIGINT)) << CAST(32 - least(bits, $four_bits) AS UBIGINT) AS network,
    (six >> CAST(128 - least(bits, $six_bits) AS UHUGEINT)) << CAST(128 - least(bits, $six_bits) AS UHUGEINT) AS wide
FROM computed
