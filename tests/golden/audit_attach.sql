ATTACH 'it''s.duckdb' AS audited (READ_ONLY)
