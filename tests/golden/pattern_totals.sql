SELECT
  COUNT(*) AS patterns,
  CAST(COALESCE(SUM(pairs), 0) AS BIGINT) AS pairs,
  CAST(COALESCE(SUM(pairs) FILTER(WHERE
    (
      (
        key_0 >> 57
      ) & 1
    ) = 1), 0) AS BIGINT) AS class_differing_pairs
FROM pattern_blocks
