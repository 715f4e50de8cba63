"""The SQL of anonduck, one query a file."""
