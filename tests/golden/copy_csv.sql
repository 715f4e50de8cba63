COPY (
  SELECT
    1
)
TO 'it''s.csv' WITH (
  FORMAT csv,
  USE_TMP_FILE FALSE,
  HEADER TRUE
)
