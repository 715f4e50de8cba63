SELECT
  DENSE_RANK() OVER (ORDER BY "age" NULLS FIRST) AS rank_0,
  DENSE_RANK() OVER (ORDER BY "it's ""odd""" NULLS FIRST) AS rank_1
FROM "source_sample"
