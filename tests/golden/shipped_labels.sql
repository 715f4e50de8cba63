WITH fitting AS (
  SELECT
    value,
    key
  FROM (
    SELECT
      value,
      code,
      CASE WHEN LEFT(code, 3) <> '000' THEN LEFT(code, 3) END AS key
    FROM (
      SELECT
        value,
        NULLIF(REGEXP_EXTRACT(padded, '^([0-9]{5})(-?[0-9]{4})?$', 1), '') AS code
      FROM (
        SELECT
          value,
          CASE
            WHEN TYPEOF(value) = 'VARCHAR'
            THEN whole
            WHEN LENGTH(whole) <= 5
            THEN LPAD(whole, 5, '0')
            WHEN LENGTH(whole) <= 9
            THEN LPAD(whole, 9, '0')
            ELSE whole
          END AS padded
        FROM (
          SELECT
            value,
            REGEXP_REPLACE(TRIM(CAST(value AS TEXT)), '\.0+$', '') AS whole
          FROM "later" AS written
        ) AS texts
      ) AS digits
    ) AS codes
    WHERE
      NOT value IS NULL
  ) AS keyed
  WHERE
    NOT key IS NULL AND LENGTH(code) <= 5
), listed AS (
  SELECT
    position,
    LIST_EXTRACT(entry, 1) AS first,
    LIST_EXTRACT(entry, 2) AS last,
    LIST_EXTRACT(entry, 3) AS level_1,
    LIST_EXTRACT(entry, 4) AS level_2
  FROM UNNEST(FROM_JSON('[["036", "036", "it''s small", "*"], ["100", "149", null, "*"]]', '[["VARCHAR"]]')) WITH ORDINALITY AS rows(entry, position)
), paths AS (
  SELECT
    keys.key,
    listed.position,
    COALESCE(listed.level_1, LEFT(keys.key, 3)) AS level_1,
    COALESCE(listed.level_2, '*') AS level_2
  FROM (
    SELECT DISTINCT
      key
    FROM fitting
  ) AS keys
  LEFT JOIN listed
    ON keys.key BETWEEN listed.first AND listed.last
)
SELECT
  fitting.value,
  paths.position,
  paths.level_1,
  paths.level_2
FROM fitting
JOIN paths
  ON paths.key = fitting.key
