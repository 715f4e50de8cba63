SELECT
  records.*
FROM source_unbounded AS records
LEFT JOIN source_hashes AS hashes
  ON records."it's ""odd""" = hashes."entity"
WHERE
  (
    hashes."last" IS NULL
    OR HASH(7, records."it's ""odd""", CAST(records."weight" AS TEXT), records."age") < hashes."last"
  )
  OR (
    HASH(7, records."it's ""odd""", CAST(records."weight" AS TEXT), records."age") = hashes."last"
    AND hashes."room" IS NULL
  )
