CREATE OR REPLACE TEMPORARY TABLE "shown_secrets" AS
SELECT
  s."#equivalence" AS equivalence,
  s."income@value" AS secret,
  CAST(SUM(s."#records") AS BIGINT) AS records
FROM (
  SELECT
    s.*,
    n."age@level",
    n."it's ""odd""@level",
    n."#equivalence"
  FROM release_set AS s
  LEFT JOIN (
    SELECT
      *,
      DENSE_RANK() OVER (ORDER BY "age@value", "it's ""odd""@value") AS "#equivalence"
    FROM assigned_nodes
  ) AS n
    ON s."#assigned" = n."#assigned"
) AS s
WHERE
  NOT s."#equivalence" IS NULL
GROUP BY ALL
