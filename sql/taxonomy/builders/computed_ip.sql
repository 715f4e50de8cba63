-- IP addresses and networks, as numbers.
-- One row: a row of the relation held.
-- Reads: held (a relation with the column value: the distinct values of a column)
-- Binds: held (table)
-- Result: value, four (an IPv4 address, UBIGINT), six (an IPv6 address, UHUGEINT), bits (how many of its first bits
--   count: 32 or 128, or the number after a slash). Dotted numbers have no leading zeros; an IPv6 address may end in
--   a dotted one, and may name a zone after %, which is dropped; an IPv4 address written in IPv6 (::ffff:192.0.2.1)
--   is an IPv4 address. For other text four and six are NULL.
-- NULL: stays NULL.
WITH texts AS (
    SELECT value, trim(lower(CAST(value AS VARCHAR))) AS text
    FROM held
),
addresses AS (
    SELECT
        value,
        CASE
            WHEN regexp_full_match(text, '[0-9a-f:.]+(?:%[^%/\s]+)?(?:/[0-9]{1,3})?')
                THEN split_part(split_part(text, '/', 1), '%', 1)
        END AS address,
        split_part(text, '/', 2) AS slash
    FROM texts
),
tails AS (
    SELECT
        value,
        slash,
        address,
        split_part(address, ':', -1) AS tail,
        left(address, CAST(length(address) - length(split_part(address, ':', -1)) AS BIGINT)) AS head
    FROM addresses
),
dotted AS (
    SELECT
        value,
        slash,
        address,
        head,
        CASE
            WHEN regexp_full_match(tail, '(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.|$)){4}')
                THEN CAST(split_part(tail, '.', 1) AS UBIGINT) * 16777216
                + CAST(split_part(tail, '.', 2) AS UBIGINT) * 65536
                + CAST(split_part(tail, '.', 3) AS UBIGINT) * 256
                + CAST(split_part(tail, '.', 4) AS UBIGINT)
        END AS number
    FROM tails
),
hexed AS (
    SELECT
        value,
        slash,
        number,
        head,
        CASE
            WHEN head = '' THEN NULL
            WHEN number IS NULL THEN address
            ELSE head || printf('%x:%x', number >> 16, number & 65535)
        END AS written
    FROM dotted
),
ended AS (
    SELECT
        value,
        slash,
        number,
        head,
        written,
        CASE WHEN starts_with(written, '::') THEN '0' ELSE '' END
        || written
        || CASE WHEN ends_with(written, '::') THEN '0' ELSE '' END AS groups
    FROM hexed
),
counted AS (
    SELECT
        value,
        slash,
        number,
        head,
        groups,
        8 - (length(groups) - length(replace(groups, ':', ''))) AS lacking,
        written LIKE '%::%' AND written = groups AS inside,
        written LIKE '%:::%' OR written LIKE '%::%::%' AS twice
    FROM ended
),
filled AS (
    SELECT
        value,
        slash,
        number,
        head,
        CASE
            WHEN NOT twice AND (lacking > 0 OR NOT inside)
                THEN replace(groups, '::', ':' || repeat('0:', greatest(lacking, 0)))
        END AS groups
    FROM counted
),
listed AS (
    SELECT
        value,
        slash,
        number,
        head,
        CASE
            WHEN regexp_full_match(groups, '[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}') THEN string_split(groups, ':')
        END AS list
    FROM filled
),
numbers AS (
    SELECT
        value,
        slash,
        CASE WHEN head = '' THEN number END AS four,
        CAST(
            '0x'
            || lpad(list_extract(list, 1), 4, '0')
            || lpad(list_extract(list, 2), 4, '0')
            || lpad(list_extract(list, 3), 4, '0')
            || lpad(list_extract(list, 4), 4, '0')
            || lpad(list_extract(list, 5), 4, '0')
            || lpad(list_extract(list, 6), 4, '0')
            || lpad(list_extract(list, 7), 4, '0')
            || lpad(list_extract(list, 8), 4, '0')
            AS UHUGEINT
        ) AS six
    FROM listed
),
counts AS (
    SELECT
        value,
        four,
        six,
        CASE
            WHEN slash = '' THEN CASE WHEN four IS NULL THEN 128 ELSE 32 END
            ELSE TRY_CAST(slash AS INTEGER)
        END AS bits,
        (six >> 32) = 65535 AS mapped
    FROM numbers
)
SELECT
    value,
    CASE
        WHEN mapped AND bits BETWEEN 96 AND 128 THEN CAST(six & 4294967295 AS UBIGINT)
        WHEN bits <= 32 THEN four
    END AS four,
    CASE WHEN bits <= 128 AND NOT (mapped AND bits >= 96) THEN six END AS six,
    CASE WHEN mapped AND bits >= 96 THEN bits - 96 ELSE bits END AS bits
FROM counts
