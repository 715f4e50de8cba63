"""The exact search of all level vectors: plain functions that know no database."""
