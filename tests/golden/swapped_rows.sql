CREATE OR REPLACE TABLE rows AS
SELECT
  b0."age@value" AS "age@value",
  b1."it's ""odd""@value" AS "it's ""odd""@value",
  b0."city@value" AS "city@value",
  COUNT(*) AS "#records"
FROM given_swaps AS swap
JOIN swap_set AS own
  ON own."#row" = swap.own
JOIN swap_set AS b0
  ON b0."#row" = swap.b0
JOIN swap_set AS b1
  ON b1."#row" = swap.b1
GROUP BY ALL
