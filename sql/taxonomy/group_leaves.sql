-- The values of a column with a taxonomy of clusters, with their records.
-- One row: a value, by the code of its leaf.
-- Reads: taxonomy."<column>", the frequency set
-- Binds: taxonomy (table), frequency (table), raw_value (column)
-- Result: code_0; text; records.
-- NULL: is no leaf.
SELECT taxonomy.code_0, taxonomy.value::VARCHAR AS text, sum(frequency."#records")::BIGINT AS records
FROM taxonomy
INNER JOIN frequency ON frequency.raw_value = taxonomy.value
GROUP BY taxonomy.code_0, taxonomy.value
ORDER BY taxonomy.code_0
