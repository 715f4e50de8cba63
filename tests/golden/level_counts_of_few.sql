WITH paths AS (
  SELECT DISTINCT
    level_1,
    code_1,
    level_2,
    code_2
  FROM taxonomy."a""b.c"
)
SELECT
  leaves.*,
  nodes.*
FROM (
  SELECT
    COUNT(*) AS rows,
    COUNT_IF((
      value IS NULL OR code_0 IS NULL
    ) OR code_0 = 0) AS nulls_0,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(code_0))), 0) AS codes_0,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(value))), 0) AS labels_0,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(ROW(value, code_0)))), 0) AS pairs_0,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(CAST(code_0 AS BIGINT) * 4294967296 + code_1))), 0) AS parents_0
  FROM taxonomy."a""b.c"
) AS leaves
CROSS JOIN (
  SELECT
    COUNT_IF((
      level_1 IS NULL OR code_1 IS NULL
    ) OR code_1 = 0) AS nulls_1,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(code_1))), 0) AS codes_1,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(level_1))), 0) AS labels_1,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(ROW(level_1, code_1)))), 0) AS pairs_1,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(CAST(code_1 AS BIGINT) * 4294967296 + code_2))), 0) AS parents_1,
    COUNT_IF((
      level_2 IS NULL OR code_2 IS NULL
    ) OR code_2 = 0) AS nulls_2,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(code_2))), 0) AS codes_2,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(level_2))), 0) AS labels_2,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(ROW(level_2, code_2)))), 0) AS pairs_2,
    COALESCE(LENGTH(LIST_DISTINCT(ARRAY_AGG(CAST(code_2 AS BIGINT) * 4294967296 + code_2))), 0) AS parents_2
  FROM paths
) AS nodes
