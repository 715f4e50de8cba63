ATTACH 'it''s.duckdb' AS "target" (STORAGE_VERSION 'v1.0.0', BLOCK_SIZE 16384)
