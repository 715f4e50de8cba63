CREATE OR REPLACE TEMPORARY TABLE source_hashes AS
SELECT
  entity,
  LIST_EXTRACT(least, 3) AS last,
  CASE
    WHEN LIST_EXTRACT(least, 3) = LIST_EXTRACT(least, 4)
    THEN 4 - LIST_POSITION(least, LIST_EXTRACT(least, 3))
  END AS room
FROM (
  SELECT
    records."it's ""odd""" AS entity,
    MIN(HASH(7, records."it's ""odd""", CAST(records."weight" AS TEXT), records."age"), 4) AS least
  FROM source_unbounded AS records
  WHERE
    records."it's ""odd""" IN (
      SELECT
        "it's ""odd"""
      FROM source_unbounded
      GROUP BY
        "it's ""odd"""
      HAVING
        COUNT(*) > 3
    )
  GROUP BY
    records."it's ""odd"""
) AS persons
