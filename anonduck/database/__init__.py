"""The decision database: the one connection to DuckDB, what it may hold, and files that only their owner reads."""
