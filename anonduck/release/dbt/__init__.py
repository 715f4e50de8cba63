"""What dbt needs: a model of a release, the package of tests and hooks, and a plugin of dbt-duckdb."""
