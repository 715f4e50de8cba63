ATTACH 'it''s.duckdb' AS "it's ""odd"""
