COPY (
  SELECT
    1
)
TO 'it''s.parquet' WITH (
  FORMAT parquet,
  USE_TMP_FILE FALSE
)
