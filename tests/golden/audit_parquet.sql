CREATE OR REPLACE TEMPORARY VIEW release AS
SELECT
  *
FROM READ_PARQUET('it''s.parquet', hive_partitioning = FALSE)
