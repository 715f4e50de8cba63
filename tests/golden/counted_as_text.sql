COPY (
  SELECT
    "c0",
    "it's ""odd""",
    CAST(SUM("#records") AS BIGINT) AS "#records"
  FROM counted
  GROUP BY
    "c0",
    "it's ""odd"""
  ORDER BY
    "c0",
    "it's ""odd"""
)
TO 'it''s.csv' WITH (
  FORMAT csv,
  USE_TMP_FILE FALSE,
  HEADER TRUE
)
