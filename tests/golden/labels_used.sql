SELECT DISTINCT "it's ""odd""@value" FROM release_rows WHERE NOT "it's ""odd""@value" IS NULL ORDER BY "it's ""odd""@value"
