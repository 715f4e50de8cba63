CREATE OR REPLACE TABLE rows AS
SELECT
  whole.*
FROM rows AS whole
SEMI JOIN numbered_set AS kept
  ON whole."age" IS NOT DISTINCT FROM kept.q_1
