WITH held_values AS (
  SELECT
    value
  FROM "held"
), read_1 AS (
  WITH texts AS (
    SELECT
      value,
      TRIM(LOWER(CAST(value AS TEXT))) AS text
    FROM "held_values" AS held
  ), addresses AS (
    SELECT
      value,
      CASE
        WHEN REGEXP_FULL_MATCH(text, '[0-9a-f:.]+(?:%[^%/\s]+)?(?:/[0-9]{1,3})?')
        THEN SPLIT_PART(SPLIT_PART(text, '/', 1), '%', 1)
      END AS address,
      SPLIT_PART(text, '/', 2) AS slash
    FROM texts
  ), tails AS (
    SELECT
      value,
      slash,
      address,
      SPLIT_PART(address, ':', -1) AS tail,
      LEFT(address, CAST(LENGTH(address) - LENGTH(SPLIT_PART(address, ':', -1)) AS BIGINT)) AS head
    FROM addresses
  ), dotted AS (
    SELECT
      value,
      slash,
      address,
      head,
      CASE
        WHEN REGEXP_FULL_MATCH(tail, '(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.|$)){4}')
        THEN CAST(SPLIT_PART(tail, '.', 1) AS UBIGINT) * 16777216 + CAST(SPLIT_PART(tail, '.', 2) AS UBIGINT) * 65536 + CAST(SPLIT_PART(tail, '.', 3) AS UBIGINT) * 256 + CAST(SPLIT_PART(tail, '.', 4) AS UBIGINT)
      END AS number
    FROM tails
  ), hexed AS (
    SELECT
      value,
      slash,
      number,
      head,
      CASE
        WHEN head = ''
        THEN NULL
        WHEN number IS NULL
        THEN address
        ELSE head || PRINTF('%x:%x', number >> 16, number & 65535)
      END AS written
    FROM dotted
  ), ended AS (
    SELECT
      value,
      slash,
      number,
      head,
      written,
      CASE WHEN STARTS_WITH(written, '::') THEN '0' ELSE '' END || written || CASE WHEN ENDS_WITH(written, '::') THEN '0' ELSE '' END AS groups
    FROM hexed
  ), counted AS (
    SELECT
      value,
      slash,
      number,
      head,
      groups,
      8 - (
        LENGTH(groups) - LENGTH(REPLACE(groups, ':', ''))
      ) AS lacking,
      written LIKE '%::%' AND written = groups AS inside,
      written LIKE '%:::%' OR written LIKE '%::%::%' AS twice
    FROM ended
  ), filled AS (
    SELECT
      value,
      slash,
      number,
      head,
      CASE
        WHEN NOT twice AND (
          lacking > 0 OR NOT inside
        )
        THEN REPLACE(groups, '::', ':' || REPEAT('0:', GREATEST(lacking, 0)))
      END AS groups
    FROM counted
  ), listed AS (
    SELECT
      value,
      slash,
      number,
      head,
      CASE
        WHEN REGEXP_FULL_MATCH(groups, '[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}')
        THEN STR_SPLIT(groups, ':')
      END AS list
    FROM filled
  ), numbers AS (
    SELECT
      value,
      slash,
      CASE WHEN head = '' THEN number END AS four,
      CAST('0x' || LPAD(LIST_EXTRACT(list, 1), 4, '0') || LPAD(LIST_EXTRACT(list, 2), 4, '0') || LPAD(LIST_EXTRACT(list, 3), 4, '0') || LPAD(LIST_EXTRACT(list, 4), 4, '0') || LPAD(LIST_EXTRACT(list, 5), 4, '0') || LPAD(LIST_EXTRACT(list, 6), 4, '0') || LPAD(LIST_EXTRACT(list, 7), 4, '0') || LPAD(LIST_EXTRACT(list, 8), 4, '0') AS UINT128) AS six
    FROM listed
  ), counts AS (
    SELECT
      value,
      four,
      six,
      CASE
        WHEN slash = ''
        THEN CASE WHEN four IS NULL THEN 128 ELSE 32 END
        ELSE TRY_CAST(slash AS INT)
      END AS bits,
      (
        six >> 32
      ) = 65535 AS mapped
    FROM numbers
  )
  SELECT
    value,
    CASE
      WHEN mapped AND bits BETWEEN 96 AND 128
      THEN CAST(six & 4294967295 AS UBIGINT)
      WHEN bits <= 32
      THEN four
    END AS four,
    CASE WHEN bits <= 128 AND NOT (
      mapped AND bits >= 96
    ) THEN six END AS six,
    CASE WHEN mapped AND bits >= 96 THEN bits - 96 ELSE bits END AS bits
  FROM counts
), computed_1 AS (
  SELECT
    *,
    (
      four >> CAST(32 - LEAST(bits, 16) AS UBIGINT)
    ) << CAST(32 - LEAST(bits, 16) AS UBIGINT) AS network_1,
    (
      six >> CAST(128 - LEAST(bits, 48) AS UINT128)
    ) << CAST(128 - LEAST(bits, 48) AS UINT128) AS wide_1
  FROM read_1
), computed_2 AS (
  SELECT
    *,
    (
      network_1 >> 24
    ) || '.' || (
      (
        network_1 >> 16
      ) & 255
    ) || '.' || (
      (
        network_1 >> 8
      ) & 255
    ) || '.' || (
      network_1 & 255
    ) || '/' || LEAST(bits, 16) AS dotted_1,
    ':' || PRINTF(
      '%x:%x:%x:%x:%x:%x:%x:%x',
      CAST((
        wide_1 >> 112
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 96
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 80
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 64
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 48
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 32
      ) & 65535 AS INT),
      CAST((
        wide_1 >> 16
      ) & 65535 AS INT),
      CAST(wide_1 & 65535 AS INT)
    ) AS groups_1,
    '/' || LEAST(bits, 48) AS slash_1
  FROM computed_1
), computed_3 AS (
  SELECT
    *,
    LIST_MAX(REGEXP_EXTRACT_ALL(groups_1, '(?::0){2,}')) AS zeros_1,
    STRPOS(groups_1, LIST_MAX(REGEXP_EXTRACT_ALL(groups_1, '(?::0){2,}'))) AS start_1
  FROM computed_2
), computed_4 AS (
  SELECT
    *,
    CASE
      WHEN value IS NULL
      THEN NULL
      WHEN NOT dotted_1 IS NULL
      THEN dotted_1
      WHEN groups_1 IS NULL
      THEN '(not an address)'
      WHEN zeros_1 IS NULL
      THEN SUBSTRING(groups_1, 2) || slash_1
      ELSE SUBSTRING(LEFT(groups_1, start_1 - 1), 2) || ':' || COALESCE(NULLIF(SUBSTRING(groups_1, start_1 + LENGTH(zeros_1)), ''), ':') || slash_1
    END AS label_1
  FROM computed_3
)
SELECT
  value,
  label_1 AS level_1,
  CASE WHEN NOT value IS NULL THEN '*' END AS level_2
FROM computed_4
