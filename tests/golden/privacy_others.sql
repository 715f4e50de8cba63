CREATE OR REPLACE TEMPORARY TABLE kept_set AS
SELECT
  whole.*
FROM coded_set AS whole
ANTI JOIN failing_codes AS failing
  ON whole."age@1" IS NOT DISTINCT FROM failing.q_1
  AND whole."odd ""name@0" IS NOT DISTINCT FROM failing.q_2
