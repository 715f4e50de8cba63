ATTACH 'it''s.duckdb' AS "source" (READ_ONLY)
