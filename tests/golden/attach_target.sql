ATTACH 'it''s.duckdb' AS "target"
