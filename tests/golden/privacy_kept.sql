CREATE OR REPLACE TEMPORARY TABLE kept_set AS
SELECT
  whole.*
FROM coded_set AS whole
SEMI JOIN numbered_set AS kept
  ON whole."age@1" IS NOT DISTINCT FROM kept.q_1
  AND whole."odd ""name@0" IS NOT DISTINCT FROM kept.q_2
