SELECT CAST("age" AS TEXT) AS "age", CAST("it's ""odd""" AS TEXT) AS "it's ""odd""" FROM source
