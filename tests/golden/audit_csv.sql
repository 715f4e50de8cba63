CREATE OR REPLACE TEMPORARY VIEW release AS
SELECT
  *
FROM READ_CSV(
  'it''s [[]1].csv',
  "columns" = {'a': 'VARCHAR', 'it''s': 'VARCHAR', 'a "b"': 'VARCHAR'},
  auto_detect = FALSE,
  header = TRUE,
  delim = ';',
  quote = '"',
  escape = '"',
  nullstr = '',
  allow_quoted_nulls = FALSE,
  hive_partitioning = FALSE
)
