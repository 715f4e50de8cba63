WITH joined_records AS (
  SELECT
    joined_cells.number AS "#id",
    coded_frequency_set.*
    EXCLUDE ("#records"),
    joined_cells.records AS "#records"
  FROM coded_frequency_set
  JOIN joined_cells
    ON "#cell" = joined_cells.cell
)
SELECT
  CAST((
    CAST((
      x."age@0" IS DISTINCT FROM y."age@0"
    ) AS INT) + CAST((
      x."age@1" IS DISTINCT FROM y."age@1"
    ) AS INT)
  ) AS UTINYINT) AS "age@distance",
  CAST((
    CAST((
      x."it's ""odd""@0" IS DISTINCT FROM y."it's ""odd""@0"
    ) AS INT)
  ) AS UTINYINT) AS "it's ""odd""@distance",
  x."#class" IS DISTINCT FROM y."#class" AS "#class_differs",
  CAST(SUM(
    CASE
      WHEN x."#id" = y."#id"
      THEN x."#records" * (
        x."#records" - 1
      ) // 2
      ELSE x."#records" * y."#records"
    END
  ) AS BIGINT) AS "#pairs"
FROM joined_records AS x
JOIN joined_records AS y
  ON x."#id" <= y."#id"
GROUP BY ALL
HAVING
  "#pairs" > 0
