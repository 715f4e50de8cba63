CREATE OR REPLACE TEMPORARY TABLE distance_patterns AS
SELECT
  CAST((
    (
      (
        (
          key_0 >> 49
        ) & 1
      ) + (
        (
          key_0 >> 54
        ) & 1
      )
    )
  ) AS UTINYINT) AS "age@distance",
  CAST((
    (
      (
        (
          key_0 >> 41
        ) & 1
      )
    )
  ) AS UTINYINT) AS "it's ""odd""@distance",
  (
    (
      key_0 >> 57
    ) & 1
  ) = 1 AS "#class_differs",
  pairs AS "#pairs",
  missed AS "#missed"
FROM pattern_blocks
WHERE
  pairs >= $least
